/** Faults of the map check, one shape whatever the daemon wraps them in; and those that an editor has accepted. */
import type { Feature, FeatureCollection } from 'geojson';
import type { Fault } from '../api/types';
import { idOf } from '../map/zones';

interface Raw {
  severity?: string;
  lint?: string | null;
  feature?: string | null;
  feature_id?: string | null;
  feature_index?: number | null;
  path?: string | null;
  line?: number | null;
  position?: [number, number] | null;
  message?: string;
  reason?: string;
  hint?: string | null;
  mend?: string | null;
  value?: string | null;
}

export function faultsOf(answer: unknown): Fault[] {
  const list = Array.isArray(answer) ? answer : ((answer as { faults?: unknown[] } | null)?.faults ?? []);
  const grade: Record<string, number> = { error: 0, warning: 1, note: 2 };
  return (list as Raw[])
    .map((raw): Fault => ({
      severity: raw.severity === 'error' || raw.severity === 'warning' ? raw.severity : 'note',
      lint: raw.lint ?? null,
      feature:
        raw.feature_id ??
        raw.feature ??
        (raw.feature_index === null || raw.feature_index === undefined ? null : `#${raw.feature_index}`),
      path: raw.path ?? null,
      line: raw.line ?? null,
      message: [raw.reason ?? raw.message ?? '', raw.value ? `(${raw.value})` : ''].filter(Boolean).join(' '),
      hint: raw.mend ?? raw.hint ?? null,
      lon: raw.position?.[0] ?? null,
      lat: raw.position?.[1] ?? null,
    }))
    .sort((a, b) => (grade[a.severity] ?? 2) - (grade[b.severity] ?? 2));
}

export const errorsIn = (faults: readonly Fault[]): number => faults.filter((one) => one.severity === 'error').length;
export const warningsIn = (faults: readonly Fault[]): number =>
  faults.filter((one) => one.severity === 'warning').length;

/** A warning that somebody looked at and let stand. It holds as long as the check says the very same. */
export interface Acceptance {
  lint: string | null;
  says: string;
  reason: string;
  by: string;
  at: string;
}

/** The property that keeps them: with the feature, or for the whole map with the file, so that they are published too. */
export const ACCEPTED = 'accepted_warnings';

const listOf = (value: unknown): Acceptance[] =>
  Array.isArray(value) ? value.filter((one): one is Acceptance => typeof (one as Acceptance)?.says === 'string') : [];

const holderOf = (map: FeatureCollection, fault: Fault): Feature | null =>
  map.features.find((one, i) => (idOf(one) ?? `#${i}`) === fault.feature) ?? null;

/** Who let a fault stand, and why; null where nobody did. */
export function acceptanceOf(map: FeatureCollection | null, fault: Fault): Acceptance | null {
  if (!map || fault.severity === 'error') return null;
  const holder = holderOf(map, fault);
  const list = listOf(holder ? holder.properties?.[ACCEPTED] : (map as unknown as Record<string, unknown>)[ACCEPTED]);
  return list.find((one) => one.says === fault.message && (one.lint ?? null) === (fault.lint ?? null)) ?? null;
}

/** The map with a fault accepted, or (`by` null) no longer accepted. */
export function withAcceptance(map: FeatureCollection, fault: Fault, by: Acceptance | null): FeatureCollection {
  const changed = (value: unknown): Acceptance[] | undefined => {
    const kept = listOf(value).filter((one) => one.says !== fault.message);
    const list = by ? [...kept, by] : kept;
    return list.length ? list : undefined;
  };
  const holder = holderOf(map, fault);
  if (!holder) {
    const whole: Record<string, unknown> = { ...map };
    whole[ACCEPTED] = changed(whole[ACCEPTED]);
    if (!whole[ACCEPTED]) delete whole[ACCEPTED];
    return whole as unknown as FeatureCollection;
  }
  const properties: Record<string, unknown> = { ...holder.properties };
  properties[ACCEPTED] = changed(properties[ACCEPTED]);
  if (!properties[ACCEPTED]) delete properties[ACCEPTED];
  return { ...map, features: map.features.map((one) => (one === holder ? { ...one, properties } : one)) };
}

/** Which rule of the code a fault touches, by the lint that found it; else by what the feature is. */
const BY_LINT: Record<string, { rule: string; why: string }> = {
  'swapped-map': { rule: 'wake-zone', why: 'a map the other way round judges nothing at all' },
  'few-decimals': { rule: 'wake-zone', why: 'the distance to shore and docks is measured from these positions' },
  'duplicate-vertices': { rule: 'wake-zone', why: 'what is judged stays the same; only other programs may stumble' },
  spike: { rule: 'wake-zone', why: 'boats beside a spike would be judged as near the shore' },
  sliver: { rule: 'wake-zone', why: 'boats beside a sliver would be judged as near land' },
  'coarse-shore': { rule: 'wake-zone', why: 'the strip along the shore is drawn from these corners' },
  'shore-gap': { rule: 'wake-zone', why: 'along a gap nobody is judged as near the shore' },
  'bare-shore': { rule: 'wake-zone', why: 'without a shoreline nobody is judged as near the shore' },
  'on-land': { rule: 'wake-zone', why: 'what stands on land limits boats on the water beside it only in part' },
  'conflicting-limits': { rule: 'speed-cap', why: 'where limits overlap the lowest holds' },
  'drawn-strip': {
    rule: 'wake-zone',
    why: 'the strip is measured from shore and docks; one that is drawn may not agree',
  },
  'geometry-collection': { rule: 'wake-zone', why: 'programs that drop a part of it would change what is measured' },
  elevation: { rule: 'wake-zone', why: 'nothing is judged by heights' },
  'line-over-land': { rule: 'inshore-wake', why: 'the area inside the buoy line is cut off by the land it crosses' },
};
const BY_KIND: Record<string, { rule: string; why: string }> = {
  safety_buoy: { rule: 'inshore-wake', why: 'the buoys say where the area inside the line begins' },
  buoy_line: { rule: 'inshore-wake', why: 'the line says where the area inside it begins' },
  speed_zone: { rule: 'speed-zone', why: 'the limit holds exactly inside this area' },
  permit_area: { rule: 'speed-cap', why: 'inside this area a permit lifts the limit' },
  circulation: { rule: 'ski-direction', why: 'it says which way round boats tow' },
};
/** Of all else the wake distance is measured. */
const ELSE = { rule: 'wake-zone', why: 'the wake distance is measured from it' };

export function whyItMatters(fault: Fault, kind: string | null): { rule: string | null; why: string } {
  if (fault.lint === 'unstable-id') return { rule: null, why: 'findings name features by their ids' };
  // A duty names its own clause.
  if (fault.lint === 'duty') return { rule: null, why: 'its owner has to be told; no boat is judged by it' };
  return BY_LINT[fault.lint ?? ''] ?? BY_KIND[kind ?? ''] ?? ELSE;
}
