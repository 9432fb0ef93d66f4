/** Rows over one time axis: overview of the whole period with its window, one lane a boat, the cursor through all. */
import { useRef } from 'preact/hooks';
import type { Finding } from '../api/types';
import { zone } from '../store/store';
import { clockZoned, msOf, span } from '../time';
import { words } from '../words/en';
import {
  chooseInReview,
  chosenTracks,
  cursor,
  findingId,
  period,
  review,
  reviewFindings,
  setCursor,
  show,
  shown,
} from './state';
import type { Track } from './track';

/** Room left of every row for its name, px; the charts' axes are as wide. */
export const GUTTER = 112;
export const RIGHT = 14;

const share = (ms: number, [from, to]: [number, number]): number => (ms - from) / Math.max(1, to - from);
const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

function place(from: number, to: number, window: [number, number]): { left: string; width: string } | null {
  const a = Math.max(0, share(from, window));
  const b = Math.min(1, share(to, window));
  return b <= 0 || a >= 1 ? null : { left: percent(a), width: percent(Math.max(0.002, b - a)) };
}

function Block({ finding, window }: { finding: Finding; window: [number, number] }) {
  const style = place(msOf(finding.start), msOf(finding.end ?? finding.peak.t), window);
  if (!style) return null;
  return (
    <button
      type="button"
      class={`block is-${finding.verdict}${finding.id === findingId.value ? ' is-chosen' : ''}`}
      style={style}
      title={finding.text}
      aria-label={`${words.findings.verdict[finding.verdict]}: ${finding.text}`}
      onClick={() => chooseInReview(finding)}
    >
      <span aria-hidden="true">{finding.verdict === 'breach' ? '!' : '?'}</span>
    </button>
  );
}

function Lane({ track }: { track: Track }) {
  const window = shown.value;
  const { fixes, gaps } = track.vessel;
  const bars: [number, number][] = [];
  let start = fixes.t_ms[0];
  for (const gap of gaps) {
    if (start !== undefined && gap.from_ms > start) bars.push([start, gap.from_ms]);
    start = gap.to_ms;
  }
  const last = fixes.t_ms.at(-1);
  if (start !== undefined && last !== undefined && last >= start) bars.push([start, last]);
  const from = track.from_ms;
  const mine = reviewFindings.value.filter((one) => one.vessel === track.id || one.other === track.id);
  return (
    <div class="lane">
      <b class="row-name" title={track.name}>
        {track.letter} {track.name}
      </b>
      <div class="row-body">
        {bars.map(([a, b]) => {
          const style = place(from + a, from + b, window);
          return style && <i key={a} class="lane-bar" style={style} />;
        })}
        {gaps.map((gap) => {
          const style = place(from + gap.from_ms, from + gap.to_ms, window);
          return (
            style && (
              <i
                key={gap.from_ms}
                class="lane-gap"
                style={style}
                title={words.review.gap(span((gap.to_ms - gap.from_ms) / 1000))}
              />
            )
          );
        })}
        {track.vessel.tow_periods.map((tow) => {
          const style = place(from + tow.from_ms, from + (tow.to_ms ?? last ?? tow.from_ms), window);
          return style && <i key={tow.from_ms} class="lane-tow" style={style} title={words.live.towing} />;
        })}
        {mine.map((one) => (
          <Block key={one.id} finding={one} window={window} />
        ))}
      </div>
    </div>
  );
}

const LANES_MOST = 6;

export function Lanes() {
  const all = chosenTracks.value;
  const list =
    all.length > LANES_MOST
      ? all
          .filter((track, i) => i < 2 || reviewFindings.value.some((one) => one.vessel === track.id))
          .slice(0, LANES_MOST)
      : all;
  return (
    <div class="lanes" role="group" aria-label={words.review.lanes}>
      {list.map((track) => (
        <Lane key={track.id} track={track} />
      ))}
      {all.length > list.length && <p class="is-second lanes-more">{words.review.others(all.length - list.length)}</p>}
    </div>
  );
}

/** Boats and findings of the whole period; its window can be dragged, moved by keys, and is what the rows below show. */
export function Overview() {
  const whole = period.value;
  const window = shown.value;
  const bins = review.value?.overview;
  const most = Math.max(1, ...(bins?.boats ?? []));
  const body = useRef<HTMLDivElement>(null);
  const timeAt = (x: number): number => {
    const box = body.current!.getBoundingClientRect();
    return whole[0] + ((x - box.left) / box.width) * (whole[1] - whole[0]);
  };
  const drag =
    (end: 0 | 1 | 'both') =>
    (event: PointerEvent): void => {
      const target = event.currentTarget as HTMLElement;
      target.setPointerCapture(event.pointerId);
      const from = timeAt(event.clientX);
      const before = shown.value;
      target.onpointermove = (move) => {
        const by = timeAt(move.clientX) - from;
        if (end === 'both') show([before[0] + by, before[1] + by]);
        else if (end === 0) show([Math.min(before[0] + by, before[1] - 2000), before[1]]);
        else show([before[0], Math.max(before[1] + by, before[0] + 2000)]);
      };
      target.onpointerup = () => {
        target.onpointermove = null;
      };
    };
  const keys =
    (end: 0 | 1) =>
    (event: KeyboardEvent): void => {
      const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const step = ((whole[1] - whole[0]) / 50) * by;
      show(end === 0 ? [window[0] + step, window[1]] : [window[0], window[1] + step]);
    };
  const [a, b] = [share(window[0], whole), share(window[1], whole)];
  return (
    <div class="lane overview">
      <span class="row-name">{words.review.overview}</span>
      <div class="row-body" ref={body} onDblClick={() => show(whole)}>
        <svg class="density" viewBox={`0 0 ${bins?.boats.length || 1} 1`} preserveAspectRatio="none" aria-hidden="true">
          {bins?.boats.map((n, i) => (
            <rect key={i} x={i} width={1} y={1 - n / most} height={n / most} />
          ))}
        </svg>
        {reviewFindings.value.map((one) => {
          const style = place(msOf(one.start), msOf(one.end ?? one.peak.t), whole);
          return style && <i key={one.id} class={`block is-${one.verdict}`} style={style} />;
        })}
        <div class="window" style={{ left: percent(a), width: percent(b - a) }} onPointerDown={drag('both')} />
        {([0, 1] as const).map((end) => (
          <button
            key={end}
            type="button"
            class="window-grip"
            style={{ left: percent(end ? b : a) }}
            role="slider"
            aria-label={end ? words.review.to : words.review.from}
            aria-valuemin={whole[0]}
            aria-valuemax={whole[1]}
            aria-valuenow={window[end]}
            aria-valuetext={clockZoned(window[end], zone.value)}
            onPointerDown={drag(end)}
            onKeyDown={keys(end)}
          />
        ))}
        <OverviewCursor />
      </div>
    </div>
  );
}

/** Apart, so that moving it does not draw the whole overview anew. */
function OverviewCursor() {
  return <i class="overview-cursor" style={{ left: percent(share(cursor.value, period.value)) }} />;
}

/** The cursor line through lanes and charts. */
export function CursorLine() {
  const part = share(cursor.value, shown.value);
  if (part < 0 || part > 1) return null;
  return (
    <div
      class="cursor-line"
      style={{ left: `calc(${GUTTER}px + (100% - ${GUTTER + RIGHT}px) * ${part.toFixed(5)})` }}
      aria-hidden="true"
    />
  );
}

/** The time slider: native, so that keys and screen readers know it. */
export function TimeSlider() {
  const [from, to] = shown.value;
  return (
    <div class="lane slider-row">
      <span class="row-name" />
      <input
        class="time-slider"
        type="range"
        min={from}
        max={to}
        step={100}
        value={cursor.value}
        aria-label={words.review.at}
        aria-valuetext={clockZoned(cursor.value, zone.value)}
        onInput={(event) => setCursor(Number(event.currentTarget.value))}
      />
    </div>
  );
}
