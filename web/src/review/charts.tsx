/** Speed against the limit, and distance to what governs, over the same time axis as the lanes. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colour, palette } from '../map/palette';
import { shownUnits, units, waterway, zone } from '../store/store';
import { clock, zoneLetters } from '../time';
import { distanceText, limitText, speedText } from '../units';
import { words } from '../words/en';
import { isPhone } from '../ui/size';
import { decorate } from './hatch';
import { GUTTER, RIGHT } from './lanes';
import { distanceShape, speedShape, type Shape } from './shapes';
import { chartTrack, chosenOne, cursor, moveByKey, selection, setCursor, shown, tracks } from './state';
import { apart, type Track } from './track';

function Chart({ track, shape, height, flag }: { track: Track; shape: Shape; height: number; flag: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const place = zone.value;
  const shades = palette.value;
  useEffect(() => {
    if (!box.current) return;
    const axis = {
      stroke: colour('text2', shades),
      grid: { stroke: colour('hair', shades), width: 1 },
      ticks: { show: false },
      font: '12px Buoyline',
    };
    const made = new uPlot(
      {
        width: box.current.clientWidth,
        height,
        padding: [6, RIGHT, 0, 0],
        legend: { show: false },
        cursor: { y: false, x: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        scales: {
          x: { time: true, range: () => shown.peek().map((ms) => ms / 1000) as [number, number] },
          y: { range: [0, shape.top] },
        },
        axes: [
          { ...axis, size: 22, values: (_, ticks) => ticks.map((t) => clock(t * 1000, place)), space: 90 },
          {
            ...axis,
            size: GUTTER,
            gap: 6,
            values: (_, ticks) => ticks.map((t) => String(Math.round(t * 10) / 10)),
            space: 26,
          },
        ],
        series: [{}, ...shape.series],
        bands: shape.bands,
        tzDate: (t) => uPlot.tzDate(new Date(t * 1000), place),
        plugins: [decorate(track, shape)],
        hooks: {
          setSelect: [
            (u) => {
              const { left, width } = u.select;
              if (width > 4) selection.value = [u.posToVal(left, 'x') * 1000, u.posToVal(left + width, 'x') * 1000];
              else setCursor(u.posToVal(left, 'x') * 1000);
            },
          ],
        },
      },
      shape.data,
      box.current,
    );
    made.over.addEventListener('click', (event) => {
      if (!selection.peek() || event.detail === 2) setCursor(made.posToVal(event.offsetX, 'x') * 1000);
    });
    plot.current = made;
    const watch = new ResizeObserver(() => {
      if (box.current) made.setSize({ width: box.current.clientWidth, height });
    });
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [track, shape.data, shades, height, place]);
  const window = shown.value;
  useEffect(() => plot.current?.setScale('x', { min: window[0] / 1000, max: window[1] / 1000 }), [window]);
  const part = (cursor.value - window[0]) / (window[1] - window[0]);
  return (
    <div class="chart">
      <p class="chart-name">
        <b>{shape.title}</b>
        <span class="is-second">{shape.unit}</span>
      </p>
      <div
        ref={box}
        class="chart-plot"
        tabIndex={0}
        role="slider"
        aria-label={`${shape.title}, ${shape.unit}`}
        aria-valuemin={window[0]}
        aria-valuemax={window[1]}
        aria-valuenow={cursor.value}
        aria-valuetext={`${clock(cursor.value, place)} ${zoneLetters(cursor.value, place)}, ${flag ?? words.noData}`}
        onKeyDown={moveByKey}
      />
      <span class="chart-zone is-second" aria-hidden="true">
        {zoneLetters(window[0], place)}
      </span>
      {flag && part >= 0 && part <= 1 && (
        <span
          class={part > 0.6 ? 'chart-flag is-left' : 'chart-flag'}
          style={{ left: `calc(${GUTTER}px + (100% - ${GUTTER + RIGHT}px) * ${part.toFixed(5)})` }}
        >
          {flag}
        </span>
      )}
    </div>
  );
}

export function Charts({ height }: { height: number }) {
  const track = chartTrack.value;
  const u = shownUnits.value;
  const own = units.value;
  const strip = waterway.value?.limits.strip_m ?? null;
  const shades = palette.value;
  const shapes = useRef<{ key: unknown[]; speed: Shape; distance: Shape | null } | null>(null);
  if (!track) return null;
  const key = [track, u.speed, u.distance, strip, shades, chosenOne.value];
  if (!shapes.current || shapes.current.key.some((part, i) => part !== key[i])) {
    shapes.current = { key, speed: speedShape(track, u.speed), distance: distanceShape(track, u.distance, strip) };
  }
  const known = track.at(cursor.value);
  const other = chosenOne.value?.other ? tracks.value.find((one) => one.id === chosenOne.value?.other) : undefined;
  const apart_m = other && apart(track, other, cursor.value);
  const speedFlag =
    known?.sog_mps === null || !known
      ? words.noData
      : `${speedText(known.sog_mps, u.speed, known.limit_mps)}${known.limit_mps === null ? '' : ` · ${words.live.limit} ${limitText(known.limit_mps, own.speed)}`}${known.reason && !isPhone.value ? ` · ${known.reason}` : ''}`;
  const distance_m = other ? apart_m : known?.distance_m;
  const distanceFlag =
    distance_m === null || distance_m === undefined
      ? words.noData
      : distanceText(distance_m, u.distance, chosenOne.value?.limit?.distance_m ?? strip);
  return (
    <>
      <Chart track={track} shape={shapes.current.speed} height={height} flag={speedFlag} />
      {shapes.current.distance && (
        <Chart track={track} shape={shapes.current.distance} height={height} flag={distanceFlag} />
      )}
    </>
  );
}
