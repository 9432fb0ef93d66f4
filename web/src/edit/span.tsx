/** A strip on which a span is drawn: by dragging, by its two grips with pointer or keys; it may run over the end. */
import { useRef, useState } from 'preact/hooks';

interface Props {
  label: string;
  /** How many steps the strip has, and where its marks are. */
  count: number;
  marks: readonly { at: number; label: string }[];
  from: number | null;
  until: number | null;
  /** The strip's last step belongs to the span (days), or ends it (minutes). */
  isInclusive: boolean;
  step: number;
  snap: (at: number, isEnd: boolean) => number;
  inWords: (at: number) => string;
  names: readonly [string, string];
  onChange: (from: number, until: number) => void;
}

/** Nearer than this to a grip, the grip is meant. */
const GRIP_PX = 22;

export function SpanStrip(props: Props) {
  const { count, marks, isInclusive, snap, onChange } = props;
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: number; until: number } | null>(null);
  const now = drag ?? (props.from === null || props.until === null ? null : { from: props.from, until: props.until });
  const end = (until: number): number => until + (isInclusive ? 1 : 0);
  const percent = (at: number): string => `${(100 * at) / count}%`;

  const begin = (event: PointerEvent): void => {
    const track = box.current;
    if (!track || event.button !== 0) return;
    const rect = track.getBoundingClientRect();
    const placed = (x: number): number => Math.max(0, Math.min(count, ((x - rect.left) / rect.width) * count));
    const px = (at: number): number => (at / count) * rect.width + rect.left;
    const near = (at: number): number => Math.abs(px(at) - event.clientX);
    const [gapFrom, gapUntil] = now ? [near(now.from), near(end(now.until))] : [Infinity, Infinity];
    const start = placed(event.clientX);
    // A grip is dragged; anywhere else a new span begins.
    const grip = now && Math.min(gapFrom, gapUntil) < GRIP_PX ? (gapFrom < gapUntil ? 'from' : 'until') : null;
    let made: { from: number; until: number } | null = null;
    const move = (at: PointerEvent): void => {
      const here = placed(at.clientX);
      if (grip && now)
        made =
          grip === 'from'
            ? { ...now, from: snap(here, false) }
            : { ...now, until: snap(here - (isInclusive ? 1 : 0), true) };
      else if (Math.abs(at.clientX - event.clientX) > 4)
        made = {
          from: snap(Math.min(start, here), false),
          until: snap(Math.max(start, here) - (isInclusive ? 1 : 0), true),
        };
      if (made) setDrag(made);
    };
    const stop = (): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', stop);
      removeEventListener('pointercancel', stop);
      setDrag(null);
      if (made && made.from !== made.until) onChange(made.from, made.until);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', stop);
    addEventListener('pointercancel', stop);
    event.preventDefault();
  };

  const keys = (which: 'from' | 'until') => (event: KeyboardEvent) => {
    if (!now) return;
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const most = isInclusive ? count - 1 : which === 'from' ? count - props.step : count;
    const next = Math.max(0, Math.min(most, now[which] + by * props.step));
    const made = { ...now, [which]: next };
    if (made.from !== made.until) onChange(made.from, made.until);
  };

  const bars: [number, number][] = !now
    ? []
    : now.from < end(now.until)
      ? [[now.from, end(now.until)]]
      : [
          [now.from, count],
          [0, end(now.until)],
        ];
  return (
    <div class="span-strip" role="group" aria-label={props.label}>
      <div class="span-track" ref={box} onPointerDown={begin}>
        {marks.map(({ at, label }, i) => (
          <span
            class="span-mark"
            key={label + at}
            style={{ left: percent(at), width: percent((marks[i + 1]?.at ?? count) - at) }}
          >
            {label}
          </span>
        ))}
        {bars.map(([from, until]) => (
          <span class="span-bar" key={from} style={{ left: percent(from), width: percent(until - from) }} />
        ))}
        {now &&
          (['from', 'until'] as const).map((which, i) => (
            <span
              key={which}
              class="span-grip"
              role="slider"
              tabIndex={0}
              aria-label={props.names[i]}
              aria-valuemin={0}
              aria-valuemax={count}
              aria-valuenow={now[which]}
              aria-valuetext={props.inWords(now[which])}
              style={{ left: percent(which === 'from' ? now.from : end(now.until)) }}
              onKeyDown={keys(which)}
            />
          ))}
      </div>
    </div>
  );
}
