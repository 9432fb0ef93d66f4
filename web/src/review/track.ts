/** A boat's part of a review: what is known of it at any instant, and nothing where there was a gap. */
import type { Review, ReviewVessel } from '../api/types';
import { distance } from '../map/ground';
import { msOf } from '../time';
import { rampStep } from '../units';

/** What is known of a boat at an instant. */
export interface Known {
  index: number;
  lon: number;
  lat: number;
  sog_mps: number | null;
  limit_mps: number | null;
  step: number;
  cog_deg: number | null;
  accuracy_m: number | null;
  distance_m: number | null;
  feature: string | null;
  /** The feature in words: "dock D-19". */
  featureName: string | null;
  reason: string | null;
  isDerived: boolean;
}

export class Track {
  readonly id: string;
  readonly name: string;
  /** Steps of the speed ramp, by fix. */
  readonly steps: Uint8Array;

  constructor(
    readonly vessel: ReviewVessel,
    readonly letter: string,
    readonly from_ms: number,
  ) {
    this.id = vessel.id;
    this.name = vessel.name || vessel.id;
    const { fixes } = vessel;
    this.steps = Uint8Array.from(fixes.t_ms, (_, i) => rampStep(fixes.sog_mps[i] ?? null, fixes.limit_mps[i] ?? null));
  }

  /** Index of the last fix at or before an instant; -1 before the first. */
  indexAt(ms: number): number {
    const { t_ms } = this.vessel.fixes;
    const t = ms - this.from_ms;
    let [low, high] = [0, t_ms.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t_ms[middle]! <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The feature a fix is nearest to, by its place in the list. */
  featureAt(index: number | null | undefined): { id: string; name: string } | null {
    const feature = index === null || index === undefined ? undefined : this.vessel.features[index];
    return feature === undefined ? null : typeof feature === 'string' ? { id: feature, name: feature } : feature;
  }

  gapAt(ms: number): ReviewVessel['gaps'][number] | null {
    const t = ms - this.from_ms;
    return this.vessel.gaps.find((gap) => gap.from_ms < t && t < gap.to_ms) ?? null;
  }

  /** The place between two fixes is that of a straight line; in a gap and beyond the ends nothing is known. */
  at(ms: number): Known | null {
    const { fixes, limit_reasons } = this.vessel;
    const i = this.indexAt(ms);
    if (i < 0 || this.gapAt(ms)) return null;
    const t = ms - this.from_ms;
    const next = i + 1 < fixes.t_ms.length ? i + 1 : i;
    const span = fixes.t_ms[next]! - fixes.t_ms[i]!;
    if (next === i && t - fixes.t_ms[i]! > 30_000) return null;
    const share = span > 0 ? (t - fixes.t_ms[i]!) / span : 0;
    const reason = fixes.limit_rule[i];
    const near = fixes.nearest[i];
    return {
      index: i,
      lon: fixes.lon[i]! + share * (fixes.lon[next]! - fixes.lon[i]!),
      lat: fixes.lat[i]! + share * (fixes.lat[next]! - fixes.lat[i]!),
      sog_mps: fixes.sog_mps[i] ?? null,
      limit_mps: fixes.limit_mps[i] ?? null,
      step: this.steps[i] ?? 0,
      cog_deg: fixes.cog_deg[i] ?? null,
      accuracy_m: fixes.accuracy_m[i] ?? null,
      distance_m: fixes.distance_m[i] ?? null,
      feature: this.featureAt(near)?.id ?? null,
      featureName: this.featureAt(near)?.name ?? null,
      reason: reason === null || reason === undefined ? null : (limit_reasons[reason]?.reason ?? null),
      isDerived: fixes.is_derived[i] ?? false,
    };
  }

  /** Where the skier is, or is taken to be. */
  skierAt(ms: number): { lon: number; lat: number; error_m: number; isEstimated: boolean } | null {
    const { skier } = this.vessel;
    if (!skier) return null;
    const t = ms - this.from_ms;
    let best = -1;
    for (let i = 0; i < skier.t_ms.length && skier.t_ms[i]! <= t; i++) best = i;
    if (best < 0 || t - skier.t_ms[best]! > 5000) return null;
    return {
      lon: skier.lon[best]!,
      lat: skier.lat[best]!,
      error_m: skier.error_m[best] ?? 0,
      isEstimated: skier.is_estimated[best] ?? true,
    };
  }

  time(index: number): number {
    return this.from_ms + this.vessel.fixes.t_ms[index]!;
  }
}

/** A, B, C …; beyond Z two letters. */
export const letterOf = (index: number): string =>
  index < 26
    ? String.fromCharCode(65 + index)
    : `${String.fromCharCode(64 + Math.floor(index / 26))}${String.fromCharCode(65 + (index % 26))}`;

/** Tracks of a review, chosen boats first and lettered in the order chosen. */
export function tracksOf(review: Review, chosen: readonly string[]): Track[] {
  const from = msOf(review.from);
  const byId = new Map(review.vessels.map((vessel) => [vessel.id, vessel]));
  const first = chosen.map((id) => byId.get(id)).filter((vessel) => vessel !== undefined);
  const rest = review.vessels.filter((vessel) => !chosen.includes(vessel.id));
  return [...first, ...rest].map((vessel, i) => new Track(vessel, letterOf(i), from));
}

/** Metres between two boats at an instant; null where either is not known. */
export function apart(a: Track, b: Track, ms: number): number | null {
  const [one, other] = [a.at(ms), b.at(ms)];
  return one && other ? distance([one.lon, one.lat], [other.lon, other.lat]) : null;
}

/** The same at the fixes of the first. */
export const between = (a: Track, b: Track): (number | null)[] =>
  a.vessel.fixes.t_ms.map((t) => apart(a, b, a.from_ms + t));

/** Distance run, time, mean and highest speed of a span. */
export function measure(track: Track, from: number, to: number): { run_m: number; mean_mps: number; peak_mps: number } {
  const { fixes } = track.vessel;
  let run_m = 0;
  let peak_mps = 0;
  let spent = 0;
  for (let i = 0; i < fixes.t_ms.length; i++) {
    const t = track.time(i);
    if (t < from || t > to) continue;
    peak_mps = Math.max(peak_mps, fixes.sog_mps[i] ?? 0);
    if (i > 0 && track.time(i - 1) >= from && !track.gapAt(t - 1)) {
      run_m += distance([fixes.lon[i - 1]!, fixes.lat[i - 1]!], [fixes.lon[i]!, fixes.lat[i]!]);
      spent += (t - track.time(i - 1)) / 1000;
    }
  }
  return { run_m, mean_mps: spent > 0 ? run_m / spent : 0, peak_mps };
}

/** A list with an empty place put into every gap, so that no line runs through. */
export function withGaps(track: Track): { x: number[]; at: (number | null)[] } {
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
