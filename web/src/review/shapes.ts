/** What the charts draw, as lists of numbers: speed by its step of the ramp, distance to what governs, both with gaps. */
import uPlot from 'uplot';
import type { DistanceUnit, SpeedUnit } from '../api/types';
import { colour, palette, RAMP } from '../map/palette';
import { msOf } from '../time';
import { distanceIn, distanceText, speedIn } from '../units';
import { words } from '../words/en';
import { chosenOne, tracks } from './state';
import { between, withGaps, type Track } from './track';

export interface Shape {
  title: string;
  unit: string;
  /** Seconds since 1970, then one list a series. */
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  /** Pairs of series with the error between them filled. */
  bands?: uPlot.Band[];
  /** A limit that holds throughout, with shading below. */
  floor: number | null;
  top: number;
  /** One place with a name, as the closest point of approach. */
  mark?: { t_ms: number; value: number; text: string } | null;
}

export function speedShape(track: Track, unit: SpeedUnit): Shape {
  const shades = palette.value;
  const { fixes } = track.vessel;
  const { x, at } = withGaps(track);
  const column = (list: (number | null)[] | undefined): (number | null)[] =>
    at.map((i) => {
      const value = i === null ? null : (list?.[i] ?? null);
      return value === null ? null : speedIn(value, unit);
    });
  const speed = column(fixes.sog_mps);
  const limit = column(fixes.limit_mps);
  const error = column(fixes.sog_error_mps);
  const steps = at.map((i) => (i === null ? -1 : track.steps[i]!));
  // One series a colour; a run takes the first point of the next, so that the line does not break.
  const byStep = RAMP.map((_, step) =>
    speed.map((value, k) => (steps[k] === step || (k > 0 && steps[k - 1] === step && steps[k] !== -1) ? value : null)),
  );
  const beside = (sign: 1 | -1): (number | null)[] =>
    speed.map((value, k) => (value === null || error[k] === null ? null : Math.max(0, value + sign * error[k]!)));
  const peak = Math.max(1, ...speed.map((value, k) => (value ?? 0) + (error[k] ?? 0)));
  const around = Math.max(peak * 1.2, ...limit.map((value) => (value !== null && value < peak * 3 ? value * 1.25 : 0)));
  const unseen = { width: 0, points: { show: false } };
  return {
    title: words.review.speed,
    unit,
    data: [x, limit, ...byStep, beside(1), beside(-1)],
    series: [
      { stroke: colour('limit', shades), width: 2, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } },
      ...RAMP.map((token, step) => ({
        stroke: colour(token, shades),
        width: step >= 4 ? 3.5 : step === 3 ? 2.5 : 2,
        points: { show: (u: uPlot) => dotsFit(u), size: 5, fill: colour('surface', shades) },
      })),
      unseen,
      unseen,
    ],
    bands: [{ series: [RAMP.length + 2, RAMP.length + 3], fill: `${colour('hull', shades)}2E` }],
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

export function distanceShape(track: Track, unit: DistanceUnit, strip_m: number | null): Shape | null {
  const finding = chosenOne.value;
  const { fixes } = track.vessel;
  const { x, at } = withGaps(track);
  const other = finding?.other ? tracks.value.find((one) => one.id === finding.other) : undefined;
  let values: (number | null)[];
  let title: string;
  if (other) {
    const gaps = between(track, other);
    values = at.map((i) => (i === null ? null : (gaps[i] ?? null)));
    title = words.review.to_(other.name);
  } else {
    const feature = finding?.vessel === track.id ? finding.peak.feature : null;
    values = at.map((i) => {
      if (i === null) return null;
      if (feature && track.featureAt(fixes.nearest[i])?.id !== feature) return null;
      return fixes.distance_m[i] ?? null;
    });
    if (feature && values.every((value) => value === null))
      values = at.map((i) => (i === null ? null : (fixes.distance_m[i] ?? null)));
    title = feature ? words.review.to_(feature) : '';
  }
  const limit_m = finding?.limit?.distance_m ?? strip_m;
  if (values.every((value) => value === null)) return null;
  // The daemon's own: how close they came, and when.
  const near = other ? finding?.peak : undefined;
  const shownValues = values.map((value) => (value === null ? null : distanceIn(value, unit)));
  const floor = limit_m === null || limit_m === undefined ? null : distanceIn(limit_m, unit);
  const top = floor
    ? Math.min(Math.max(...shownValues.map((value) => value ?? 0)) * 1.1, floor * 5)
    : Math.max(...shownValues.map((value) => value ?? 0)) * 1.1;
  return {
    title: words.review.distance,
    unit: `${unit} ${title}`,
    data: [x, shownValues],
    series: [
      {
        stroke: colour('hull', palette.value),
        width: 2,
        points: { show: (u) => dotsFit(u), size: 5, fill: colour('surface', palette.value) },
      },
    ],
    floor,
    top: Math.max(top, floor ? floor * 1.3 : 1),
    mark:
      near && near.distance_m !== null && near.distance_m !== undefined
        ? {
            t_ms: msOf(near.t),
            value: distanceIn(near.distance_m, unit),
            text: words.review.closest(distanceText(near.distance_m, unit, limit_m)),
          }
        : null,
  };
}
