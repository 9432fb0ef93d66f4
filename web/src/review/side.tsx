/** Beside the map: the chosen finding explained, or the findings and the record of the period. */
import { Card, Sentence, Verdict } from '../findings/card';
import { Detail, interval } from '../findings/detail';
import { now } from '../store/clock';
import { zone } from '../store/store';
import { span } from '../time';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { Compared } from './compare';
import { fitTracks } from './fit';
import {
  chooseInReview,
  chosenOne,
  chosenTracks,
  draftOf,
  findingId,
  hasRefused,
  isUpload,
  reviewFindings,
  stepFinding,
} from './state';

export function Side() {
  const finding = chosenOne.value;
  const list = reviewFindings.value;
  const r = words.review;
  if (!finding) {
    return (
      <div class="findings-list">
        <Compared />
        <h2 class="side-title">{r.findingsHere(list.length)}</h2>
        <ul>
          {list.map((one) => (
            <Card
              key={one.id}
              finding={one}
              zone={zone.value}
              isChosen={false}
              onChoose={() => {
                chooseInReview(one);
                fitTracks();
              }}
            />
          ))}
        </ul>
        <Record />
      </div>
    );
  }
  const at = list.findIndex((one) => one.id === finding.id);
  const step = (by: 1 | -1) => (): void => {
    if (stepFinding(by)) fitTracks();
  };
  return (
    <>
      <nav class="side-nav" aria-label={r.findingsHere(list.length)}>
        <Button kind="quiet" onClick={() => (findingId.value = null)}>
          ‹ {words.findings.list}
        </Button>
        <span class="space" />
        <Button kind="quiet" icon="left" aria-label={words.detail.previous} disabled={at <= 0} onClick={step(-1)} />
        <span>{words.detail.of(at + 1, list.length)}</span>
        <Button
          kind="quiet"
          icon="right"
          aria-label={words.detail.next}
          disabled={at >= list.length - 1}
          onClick={step(1)}
        />
      </nav>
      {isUpload.value || draftOf.value ? (
        <article class="detail">
          <div class="detail-body" tabIndex={0}>
            <header>
              <p class="card-head">
                <Verdict finding={finding} />
              </p>
              <h1>
                <Sentence text={finding.text} />
              </h1>
              <p class="is-second">{interval(finding, zone.value, now())}</p>
            </header>
            <section>
              <p>
                {finding.title} · {finding.citation || finding.clause}
              </p>
              <p class="lead">{words.lead}</p>
            </section>
          </div>
        </article>
      ) : (
        <Detail key={finding.id} id={finding.id} />
      )}
    </>
  );
}

/** How much of the chosen boats could be judged, and which fixes were not used. */
function Record() {
  const refused = chosenTracks.value.reduce((n, track) => n + track.vessel.refused.length, 0);
  return (
    <section class="record">
      <h2>{words.review.record}</h2>
      {chosenTracks.value.map((track) => (
        <p key={track.id}>
          <b>
            {track.letter} {track.name}
          </b>{' '}
          {words.review.judged(span(track.vessel.judged_s), span(track.vessel.not_judged_s))}
        </p>
      ))}
      {refused > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={hasRefused.value}
            onChange={(event) => (hasRefused.value = event.currentTarget.checked)}
          />{' '}
          {words.review.refused(refused)}
        </label>
      )}
    </section>
  );
}
