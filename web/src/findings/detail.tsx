/** A finding explained, always in this order: sentence, measured, how sure, what would change it, clause, law, history. */
import { ApiError, ask } from '../api/client';
import type { Finding, FindingDetail, Measured } from '../api/types';
import { pathOf } from '../route';
import { minuteNow } from '../store/clock';
import { findings, may, units, waterways } from '../store/store';
import { clock, clockTenths, dateUnlessToday, inUtc, msOf, span, zoneLetters } from '../time';
import { distanceIn, distanceNumber, limitNumber, speedIn, speedNumber, type Units } from '../units';
import { odds, words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Failure, Waiting } from '../ui/parts';
import { boatName, Sentence, StateChip, Verdict } from './card';
import { pdfLink, reportLink, reviewLink, versionPath } from './links';
import { OutcomeButtons } from './outcomes';

export const zoneOf = (finding: Finding): string =>
  waterways.value.find((one) => one.id === finding.waterway)?.time_zone ?? 'UTC';
const unitsOf = (finding: Finding): Units =>
  waterways.value.find((one) => one.id === finding.waterway)?.units ?? units.value;

/** "19:42:11.2–19:42:15.4 PDT (4.2 s)" */
export function interval(finding: Finding, zone: string, now: number): string {
  const start = msOf(finding.start);
  const date = dateUnlessToday(start, now, zone);
  if (!finding.end)
    return `${date}${clock(start, zone)} ${zoneLetters(start, zone)}, ${words.findings.state('open').toLowerCase()}`;
  const end = msOf(finding.end);
  return `${date}${clockTenths(start, zone)}–${clockTenths(end, zone)} ${zoneLetters(end, zone)} (${span((end - start) / 1000)})`;
}

export function Detail({ id, isFull }: { id: string; isFull?: boolean }) {
  const known = findings.value.get(id);
  const loaded = useLoaded(
    (signal) => ask<FindingDetail>(`/findings/${encodeURIComponent(id)}`, { signal }),
    [id, known?.revision, known?.state],
  );
  if (loaded.fault instanceof ApiError && loaded.fault.isOffline && !loaded.value && known)
    return <Known finding={known} onRetry={loaded.again} />;
  if (loaded.fault && !loaded.value)
    return (
      <Failure
        title={words.detail.gone}
        text={`${loaded.fault.message}. ${words.detail.goneWhy}`}
        onRetry={loaded.again}
      />
    );
  if (!loaded.value || loaded.value.finding.id !== id) return <Waiting rows={6} />;
  return <DetailOf detail={loaded.value} finding={known ?? loaded.value.finding} isFull={isFull} />;
}

/** Without the connection: the sentence and the outcomes, which wait; the explanation does not come. */
function Known({ finding, onRetry }: { finding: Finding; onRetry: () => void }) {
  return (
    <article class="detail">
      <div class="detail-body" tabIndex={0}>
        <Heading finding={finding} />
        <section>
          <p>{words.detail.offline}</p>
          <Button onClick={onRetry}>{words.errors.retry}</Button>
          <p class="lead">{words.lead}</p>
        </section>
      </div>
      <footer class="detail-foot">
        <OutcomeButtons finding={finding} isFull />
      </footer>
    </article>
  );
}

function Heading({ finding }: { finding: Finding }) {
  return (
    <header>
      <p class="card-head">
        <Verdict finding={finding} />
        <StateChip finding={finding} />
      </p>
      <h1>
        <Sentence text={finding.text} />
      </h1>
      <p class="is-second" title={inUtc(msOf(finding.start))}>
        {boatName(finding.vessel)}
        {finding.other ? ` · ${boatName(finding.other)}` : ''} · {interval(finding, zoneOf(finding), minuteNow.value)}
      </p>
    </header>
  );
}

function DetailOf({ detail, finding, isFull }: { detail: FindingDetail; finding: Finding; isFull?: boolean }) {
  const zone = zoneOf(finding);
  const d = words.detail;
  const u = unitsOf(finding);
  return (
    <article class="detail">
      <div class="detail-body" tabIndex={0}>
        <Heading finding={finding} />
        <section>
          <h2>{d.measured}</h2>
          <table class="measured">
            <thead>
              <tr>
                <th>
                  <span class="unseen">{d.measured}</span>
                </th>
                <th>{d.columns.value}</th>
                <th>{d.columns.limit}</th>
                <th>{d.columns.margin}</th>
              </tr>
            </thead>
            <tbody>
              {detail.measured.map((row) => (
                <MeasuredRow key={row.what} row={row} units={u} />
              ))}
            </tbody>
          </table>
        </section>
        <section>
          <h2>{d.howSure}</h2>
          <div class={`sure is-${finding.verdict}`} role="img" aria-label={words.findings.odds(finding.confidence)}>
            <i style={{ width: `${Math.min(99, finding.confidence * 100)}%` }} />
            <s aria-hidden="true" />
          </div>
          <p class="is-second">
            <b>{odds(finding.confidence)}.</b> {d.mark}{' '}
            {detail.odds.errors_used.length ? `${d.errors(detail.odds.errors_used.join('; '))} ` : ''}
            {detail.odds.interpolated_s ? d.interpolated(span(detail.odds.interpolated_s)) : ''}
          </p>
          {detail.odds.formula && detail.odds.formula.length > 0 && (
            <details>
              <summary>{d.formula}</summary>
              {detail.odds.formula.map((one) => (
                <p key={one}>
                  <code>{one}</code>
                </p>
              ))}
            </details>
          )}
        </section>
        {detail.would_change.length > 0 && (
          <section>
            <h2>{d.change}</h2>
            <ul class="dotted">
              {detail.would_change.map((line) => (
                <li key={line.what + line.text}>
                  <b>{d.change_[line.what] ?? line.what}:</b> {line.text}
                </li>
              ))}
            </ul>
          </section>
        )}
        {detail.clause && (
          <section>
            <h2>
              {d.clause} · {detail.clause.citation}
            </h2>
            {detail.clause.text && <blockquote>{detail.clause.text}</blockquote>}
          </section>
        )}
        <section>
          <p>
            <code>
              <MapLink finding={finding} version={detail.law.map_version} /> ·{' '}
              <a href={pathOf('rulebooks', detail.law.rulebook_version)}>
                {d.lawRulebook(detail.law.rulebook_version.slice(0, 8))}
              </a>
              {d.lawReading(detail.law.reading ?? finding.reading)}
            </code>
          </p>
          {detail.permits.length > 0 && (
            <p>
              {d.permits(
                detail.permits
                  .map((one) => (typeof one === 'string' ? one : `${one.permit ?? one.id} (${one.reason})`))
                  .join('; '),
              )}
            </p>
          )}
          <p class="lead">{words.lead}</p>
        </section>
        {detail.outcomes.length > 0 && (
          <section>
            <h2>{d.history}</h2>
            <ul class="history">
              {detail.outcomes.map((one) => (
                <li key={one.n}>
                  <time title={inUtc(msOf(one.at))}>
                    {dateUnlessToday(msOf(one.at), minuteNow.value, zone)}
                    {clock(msOf(one.at), zone)} {zoneLetters(msOf(one.at), zone)}
                  </time>{' '}
                  <b>{words.outcomes.doneWord(one.action)}</b> {one.by}
                  {one.reason ? ` · ${one.reason}` : ''}
                  {one.text ? ` · ${one.text}` : ''}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <footer class="detail-foot">
        <div class="rows">
          {isFull && (
            <a class="button is-plain" href={reviewLink(finding)}>
              {d.openReview}
            </a>
          )}
          <a class="button is-plain" href={reportLink(finding)} target="_blank" rel="noopener">
            {d.print}
          </a>
          <a class="button is-plain" href={pdfLink(finding)} download>
            {d.pdf}
          </a>
        </div>
        <OutcomeButtons finding={finding} isFull />
      </footer>
    </article>
  );
}

/** The map it was judged by, at the place of the finding, for those who have the map editor. */
function MapLink({ finding, version }: { finding: Finding; version: string }) {
  const name = words.detail.lawMap(version.slice(0, 8));
  const { lat, lon } = finding.peak;
  if (!may('manager')) return <>{name}</>;
  return <a href={versionPath(finding.waterway, version, `${lat.toFixed(5)},${lon.toFixed(5)},17`)}>{name}</a>;
}

/** On which side of the limit it was. */
const margin = (isDistance: boolean, by: number): string =>
  isDistance
    ? by >= 0
      ? words.detail.inside
      : words.detail.outside
    : by >= 0
      ? words.detail.over
      : words.detail.under;

/** The unit a row is shown in: the rulebook's for speeds and distances. */
function MeasuredRow({ row, units: u }: { row: Measured; units: Units }) {
  const name =
    words.detail.measuredWhat[row.what] ?? row.what.charAt(0).toUpperCase() + row.what.slice(1).replaceAll('_', ' ');
  const isSpeed = row.unit === 'mps' || row.unit === 'm/s';
  const isDistance = row.unit === 'm';
  const unit = isSpeed ? u.speed : isDistance ? u.distance : row.unit;
  const number = (value: number, limit: number | null): string =>
    isSpeed
      ? speedNumber(value, u.speed, limit)
      : isDistance
        ? distanceNumber(value, u.distance, limit)
        : String(Math.round(value * 10) / 10);
  const error =
    row.error === null
      ? null
      : isSpeed
        ? speedIn(row.error, u.speed).toFixed(1)
        : isDistance
          ? Math.round(distanceIn(row.error, u.distance))
          : Math.round(row.error * 10) / 10;
  const limit =
    row.limit === null ? '–' : `${isSpeed ? limitNumber(row.limit, u.speed) : number(row.limit, null)} ${unit}`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {row.value === null ? (
          words.noData
        ) : (
          <>
            <b>{number(row.value, row.limit)}</b>
            {error === null ? '' : ` ± ${error}`} {unit}
          </>
        )}
      </td>
      <td>{limit}</td>
      <td>
        {row.margin === null ? '–' : `${number(Math.abs(row.margin), null)} ${unit} ${margin(isDistance, row.margin)}`}
      </td>
    </tr>
  );
}
