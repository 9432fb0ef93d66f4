/** Speed against the limit, and distance to what governs, over the same time axis as the lanes. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colour, palette, RAMP } from '../map/palette';
import { prefs, setPref } from '../store/prefs';
import { shownUnits, units, waterway, zone } from '../store/store';
import { clock, msOf, span, zoneLetters } from '../time';
import { distanceIn, distanceText, limitText, speedIn, speedText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { GUTTER, RIGHT } from './lanes';
import { chartTrack, chosenOne, cursor, period, reviewFindings, selection, setCursor, show, shown, tracks } from './state';
import { between, measure, type Track } from './track';

interface Shape {
  title: string;
  unit: string;
  /** Seconds since 1970, then one list a series. */
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  /** A limit that holds throughout, with shading below. */
  floor: number | null;
  top: number;
}

/** A list with an empty place put into every gap, so that no line runs through. */
function withGaps(track: Track): { x: number[]; at: (number | null)[] } {
  const { fixes, gaps } = track.vessel;
  const x: number[] = [];
  const at: (number | null)[] = [];
  let next = 0;
  for (let i = 0; i < fixes.t_ms.length; i++) {
    while (next < gaps.length && gaps[next]!.from_ms < fixes.t_ms[i]!) {
      if (gaps[next]!.to_ms <= fixes.t_ms[i]!) {
        x.push((track.from_ms + (gaps[next]!.from_ms + gaps[next]!.to_ms) / 2) / 1000);
        at.push(null);
      }
      next++;
    }
    x.push(track.time(i) / 1000);
    at.push(i);
  }
  return { x, at };
}

function speedShape(track: Track, unit: ReturnType<typeof shownUnits.peek>['speed']): Shape {
  const shades = palette.value;
  const { fixes } = track.vessel;
  const { x, at } = withGaps(track);
  const speed = at.map((i) => (i === null || fixes.sog_mps[i] === null || fixes.sog_mps[i] === undefined ? null : speedIn(fixes.sog_mps[i], unit)));
  const limit = at.map((i) => (i === null || fixes.limit_mps[i] === null || fixes.limit_mps[i] === undefined ? null : speedIn(fixes.limit_mps[i], unit)));
  const steps = at.map((i) => (i === null ? -1 : track.steps[i]!));
  // One series a colour; a run takes the first point of the next, so that the line does not break.
  const byStep = RAMP.map((_, step) => speed.map((value, k) => (steps[k] === step || (k > 0 && steps[k - 1] === step && steps[k] !== -1) ? value : null)));
  const peak = Math.max(1, ...speed.map((value) => value ?? 0));
  const around = Math.max(peak * 1.2, ...limit.map((value) => (value !== null && value < peak * 3 ? value * 1.08 : 0)));
  return {
    title: words.review.speed,
    unit,
    data: [x, limit, ...byStep],
    series: [
      { stroke: colour('limit', shades), width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } },
      ...RAMP.map((token, step) => ({
        stroke: colour(token, shades), width: step >= 4 ? 3.5 : step === 3 ? 2.5 : 2,
        points: { show: (u: uPlot) => dotsFit(u), size: 5, fill: colour('surface', shades) },
      })),
    ],
    floor: null,
    top: around,
  };
}

/** Dots only where they do not run into one another. */
function dotsFit(u: uPlot): boolean {
  const { min, max } = u.scales.x!;
  let inView = 0;
  for (const t of u.data[0]) if (t >= min! && t <= max!) inView++;
  return inView * 8 < u.bbox.width / devicePixelRatio;
}

function distanceShape(track: Track, unit: ReturnType<typeof shownUnits.peek>['distance'], strip_m: number | null): Shape | null {
  const finding = chosenOne.value;
  const { fixes } = track.vessel;
  const { x, at } = withGaps(track);
  const other = finding?.other ? tracks.value.find((one) => one.id === finding.other) : undefined;
  let values: (number | null)[];
  let title: string;
  if (other) {
    const gaps = between(track, other);
    values = at.map((i) => (i === null ? null : gaps[i] ?? null));
    title = words.review.to_(other.name);
  } else {
    const feature = finding?.vessel === track.id ? finding.peak.feature : null;
    values = at.map((i) => {
      if (i === null) return null;
      if (feature && track.featureAt(fixes.nearest[i])?.id !== feature) return null;
      return fixes.distance_m[i] ?? null;
    });
    if (feature && values.every((value) => value === null)) values = at.map((i) => (i === null ? null : fixes.distance_m[i] ?? null));
    title = feature ? words.review.to_(feature) : '';
  }
  const limit_m = finding?.limit?.distance_m ?? strip_m;
  if (values.every((value) => value === null)) return null;
  const shownValues = values.map((value) => (value === null ? null : distanceIn(value, unit)));
  const floor = limit_m === null || limit_m === undefined ? null : distanceIn(limit_m, unit);
  const top = floor ? Math.min(Math.max(...shownValues.map((value) => value ?? 0)) * 1.1, floor * 5) : Math.max(...shownValues.map((value) => value ?? 0)) * 1.1;
  return {
    title: words.review.distance,
    unit: `${unit} ${title}`,
    data: [x, shownValues],
    series: [{ stroke: colour('hull', palette.value), width: 2, points: { show: (u) => dotsFit(u), size: 5, fill: colour('surface', palette.value) } }],
    floor,
    top: Math.max(top, floor ? floor * 1.3 : 1),
  };
}

/** Hatches over gaps with their length, shading of findings and of the forbidden side, the name of the limit. */
function decorate(track: Track, shape: Shape): uPlot.Plugin {
  const shades = palette.value;
  return {
    hooks: {
      drawClear: (u) => {
        const { ctx, bbox } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
        ctx.clip();
        if (shape.floor !== null) {
          const y = u.valToPos(shape.floor, 'y', true);
          ctx.fillStyle = colour('strip', shades);
          ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
          ctx.fillStyle = colour('limit', shades);
          ctx.fillRect(bbox.left, y - 1, bbox.width, 2);
        }
        for (const finding of reviewFindings.value) {
          if (finding.vessel !== track.id) continue;
          const a = u.valToPos(msOf(finding.start) / 1000, 'x', true);
          const b = u.valToPos(msOf(finding.end ?? finding.peak.t) / 1000, 'x', true);
          ctx.globalAlpha = 0.55;
          ctx.fillStyle = colour(finding.verdict === 'breach' ? 'breach_bg' : 'possible_bg', shades);
          ctx.fillRect(a, bbox.top, Math.max(2, b - a), bbox.height);
          ctx.globalAlpha = 1;
          if (finding.verdict === 'possible') {
            ctx.setLineDash([5, 4]);
            ctx.strokeStyle = colour('possible', shades);
            ctx.strokeRect(a, bbox.top, Math.max(2, b - a), bbox.height);
            ctx.setLineDash([]);
          }
        }
        ctx.restore();
      },
      draw: (u) => {
        const { ctx, bbox } = u;
        const ratio = devicePixelRatio;
        ctx.save();
        ctx.font = `700 ${12 * ratio}px Buoyline`;
        ctx.textAlign = 'left';
        ctx.textBaseline = 'alphabetic';
        for (const gap of track.vessel.gaps) {
          const a = Math.max(bbox.left, u.valToPos((track.from_ms + gap.from_ms) / 1000, 'x', true));
          const b = Math.min(bbox.left + bbox.width, u.valToPos((track.from_ms + gap.to_ms) / 1000, 'x', true));
          if (b <= a) continue;
          ctx.save();
          ctx.beginPath();
          ctx.rect(a, bbox.top, b - a, bbox.height);
          ctx.clip();
          ctx.strokeStyle = colour('hair', shades);
          ctx.lineWidth = ratio;
          for (let x = a - bbox.height; x < b; x += 8 * ratio) {
            ctx.beginPath();
            ctx.moveTo(x, bbox.top + bbox.height);
            ctx.lineTo(x + bbox.height, bbox.top);
            ctx.stroke();
          }
          ctx.restore();
          const text = words.review.gap(span((gap.to_ms - gap.from_ms) / 1000));
          const width = ctx.measureText(text).width;
          if (width < b - a) {
            ctx.fillStyle = colour('surface', shades);
            ctx.fillRect((a + b - width) / 2 - 4, bbox.top + bbox.height / 2 - 10 * ratio, width + 8, 18 * ratio);
            ctx.fillStyle = colour('text', shades);
            ctx.fillText(text, (a + b - width) / 2, bbox.top + bbox.height / 2 + 3 * ratio);
          }
        }
        ctx.fillStyle = colour('limit', shades);
        const name = shape.floor === null ? words.review.limitInForce : `${Math.round(shape.floor)} ${shape.unit.split(' ')[0]}`;
        const lastLimit = (u.data[1] as (number | null)[]).findLast((value) => value !== null && value <= shape.top);
        const y = shape.floor !== null ? u.valToPos(shape.floor, 'y', true) - 5 * ratio : lastLimit === undefined || lastLimit === null ? bbox.top + 11 * ratio : u.valToPos(lastLimit, 'y', true) + 14 * ratio;
        ctx.fillText(name, bbox.left + bbox.width - ctx.measureText(name).width - 4, y);
        ctx.restore();
      },
    },
  };
}

function Chart({ track, shape, height, flag }: { track: Track; shape: Shape; height: number; flag: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const place = zone.value;
  const shades = palette.value;
  useEffect(() => {
    if (!box.current) return;
    const axis = { stroke: colour('text2', shades), grid: { stroke: colour('hair', shades), width: 1 }, ticks: { show: false }, font: '12px Buoyline' };
    const made = new uPlot({
      width: box.current.clientWidth,
      height,
      padding: [6, RIGHT, 0, 0],
      legend: { show: false },
      cursor: { y: false, x: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: true, range: () => shown.peek().map((ms) => ms / 1000) as [number, number] }, y: { range: [0, shape.top] } },
      axes: [
        { ...axis, size: 22, values: (_, ticks) => ticks.map((t) => clock(t * 1000, place)), space: 90 },
        { ...axis, size: GUTTER, gap: 6, values: (_, ticks) => ticks.map((t) => String(Math.round(t * 10) / 10)), space: 26 },
      ],
      series: [{}, ...shape.series],
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), place),
      plugins: [decorate(track, shape)],
      hooks: {
        setSelect: [(u) => {
          const { left, width } = u.select;
          if (width > 4) selection.value = [u.posToVal(left, 'x') * 1000, u.posToVal(left + width, 'x') * 1000];
          else setCursor(u.posToVal(left, 'x') * 1000);
        }],
      },
    }, shape.data, box.current);
    made.over.addEventListener('click', (event) => {
      if (!selection.peek() || event.detail === 2) setCursor(made.posToVal(event.offsetX, 'x') * 1000);
    });
    plot.current = made;
    const watch = new ResizeObserver(() => { if (box.current) made.setSize({ width: box.current.clientWidth, height }); });
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
      <p class="chart-name"><b>{shape.title}</b><span class="is-second">{shape.unit}</span></p>
      <div ref={box} />
      <span class="chart-zone is-second" aria-hidden="true">{zoneLetters(window[0], place)}</span>
      {flag && part >= 0 && part <= 1 && (
        <span class={part > 0.75 ? 'chart-flag is-left' : 'chart-flag'} style={{ left: `calc(${GUTTER}px + (100% - ${GUTTER + RIGHT}px) * ${part.toFixed(5)})` }}>{flag}</span>
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
  const speedFlag = known?.sog_mps === null || !known ? words.noData
    : `${speedText(known.sog_mps, u.speed, known.limit_mps)}${known.limit_mps === null ? '' : ` · ${words.live.limit} ${limitText(known.limit_mps, own.speed)}`}${known.reason ? ` · ${known.reason}` : ''}`;
  const distanceFlag = !known || known.distance_m === null ? words.noData : distanceText(known.distance_m, u.distance, strip);
  return (
    <>
      <Chart track={track} shape={shapes.current.speed} height={height} flag={speedFlag} />
      {shapes.current.distance && <Chart track={track} shape={shapes.current.distance} height={height} flag={chosenOne.value?.other ? null : distanceFlag} />}
      <Selection track={track} />
    </>
  );
}

/** What a dragged span measures, and the way to zoom to it. */
function Selection({ track }: { track: Track }) {
  const picked = selection.value;
  const u = shownUnits.value;
  const isZoomed = shown.value[0] > period.value[0] || shown.value[1] < period.value[1];
  const zoom = (): void => {
    if (picked) show(picked);
    selection.value = null;
    setPref({ knows_zoom: true });
  };
  if (!picked) {
    return (
      <div class="selection rows">
        {!prefs.value.knows_zoom && <span class="is-second">{words.review.tip}</span>}
        {isZoomed && <Button onClick={() => show(period.value)}>{words.review.wholePeriod}</Button>}
      </div>
    );
  }
  const { run_m, mean_mps, peak_mps } = measure(track, picked[0], picked[1]);
  return (
    <div class="selection rows">
      <span>{words.review.selection(span((picked[1] - picked[0]) / 1000), distanceText(run_m, u.distance), speedText(mean_mps, u.speed), speedText(peak_mps, u.speed))}</span>
      <Button onClick={zoom}>{words.review.zoom}</Button>
      <Button kind="quiet" icon="close" aria-label={words.close} onClick={() => (selection.value = null)} />
    </div>
  );
}
