/** Play, step, jump; the exact time as a field. */
import { useState } from 'preact/hooks';
import { prefs, setPref } from '../store/prefs';
import { zone } from '../store/store';
import { clockTenths, fromLocal, inUtc, toLocal, weekday, zoneLetters } from '../time';
import { words } from '../words/en';
import { Button, Choice } from '../ui/parts';
import {
  chartTrack,
  cursor,
  followedId,
  isPlaying,
  period,
  rate,
  RATES,
  reviewFindings,
  setCursor,
  stepFinding,
  stepFix,
} from './state';

export function Transport() {
  const r = words.review;
  const at = cursor.value;
  const place = zone.value;
  const [isTyping, setTyping] = useState(false);
  const [from, to] = period.value;
  const track = chartTrack.value;
  const typed = (text: string): void => {
    const ms = fromLocal(`${toLocal(at, place).slice(0, 11)}${text}`, place);
    if (ms !== null) setCursor(ms);
    setTyping(false);
  };
  return (
    <div class="transport">
      <div class="rows">
        <Button icon="first" aria-label={r.start} onClick={() => setCursor(from)} />
        <Button icon="left" aria-label={r.stepBack} onClick={() => stepFix(-1)} />
        <Button
          kind="primary"
          icon={isPlaying.value ? 'pause' : 'play'}
          aria-label={isPlaying.value ? r.pause : r.play}
          onClick={() => {
            if (!isPlaying.value && at >= to) setCursor(from);
            isPlaying.value = !isPlaying.value;
          }}
        />
        <Button icon="right" aria-label={r.stepOn} onClick={() => stepFix(1)} />
        <Button icon="last" aria-label={r.end} onClick={() => setCursor(to)} />
        <Choice
          label={r.rate}
          options={RATES.map((one) => [one, `${one}×`] as const)}
          value={rate.value as (typeof RATES)[number]}
          onChange={(one) => (rate.value = one)}
        />
        {reviewFindings.value.length > 0 && (
          <>
            <Button class="wide-only" onClick={() => stepFinding(-1)} aria-label={r.previousFinding}>
              ‹ !
            </Button>
            <Button class="wide-only" onClick={() => stepFinding(1)} aria-label={r.nextFinding}>
              ! ›
            </Button>
          </>
        )}
        {track && (
          <Button
            class="wide-only"
            aria-pressed={followedId.value === track.id}
            onClick={() => (followedId.value = followedId.value ? null : track.id)}
          >
            {r.follow(track.letter)}
          </Button>
        )}
        {rate.value >= 10 && (
          <label class="check wide-only">
            <input
              type="checkbox"
              checked={prefs.value.slows_at_findings}
              onChange={(event) => setPref({ slows_at_findings: event.currentTarget.checked })}
            />{' '}
            {r.slows}
          </label>
        )}
      </div>
      <div class="transport-time">
        {isTyping ? (
          <input
            type="time"
            step="0.1"
            autofocus
            aria-label={r.at}
            value={toLocal(at, place).slice(11)}
            onBlur={(event) => typed(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') typed(event.currentTarget.value);
            }}
          />
        ) : (
          <button type="button" class="time-field" onClick={() => setTyping(true)} title={inUtc(at)}>
            <b>{clockTenths(at, place)}</b> {zoneLetters(at, place)}
          </button>
        )}
        <span class="is-second">
          {weekday(at, place)} · {inUtc(at)}
        </span>
      </div>
    </div>
  );
}
