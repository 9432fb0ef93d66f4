/** A file of another program on its way into the draft: orders, units, ids, precision; nothing is written here. */
import type { Feature, FeatureCollection, Position } from 'geojson';
import { boundsOf, distance, isWithin, nearestOn } from '../map/ground';
import { corners } from './parts';
import { mapped } from './shape';
import { idOf } from '../map/zones';

export interface ReadFile {
  format: string;
  features: FeatureCollection;
  swapped: FeatureCollection;
  faults: unknown[];
  left: string[];
  unkinded: number;
  unkinded_by: { key: string; values: Record<string, number> }[];
}

const BARE = /^\s*\d+(\.\d+)?\s*$/;
/** A limit with no unit. */
export const isBare = (feature: Feature): boolean => {
  const limit: unknown = feature.properties?.speed_limit;
  return limit !== undefined && limit !== null && BARE.test(String(limit));
};

export const withUnit = (feature: Feature, unit: string): Feature =>
  isBare(feature)
    ? {
        ...feature,
        properties: { ...feature.properties, speed_limit: `${String(feature.properties!.speed_limit).trim()} ${unit}` },
      }
    : feature;

/** Docks stand on the shore and a little beyond it, metres. */
const BESIDE_M = 60;

/** How many of the positions lie within the water, or a little beside it. */
export function within(map: FeatureCollection, water: Feature | null): { inside: number; all: number } {
  let [inside, all] = [0, 0];
  for (const feature of map.features) {
    for (const { at } of feature.geometry ? corners(feature.geometry) : []) {
      all++;
      if (!water || Math.abs(at[1]!) > 90) continue;
      const shore = isWithin(water, at) ? at : nearestOn(water.geometry, at);
      if (shore && distance(shore, at) <= BESIDE_M) inside++;
    }
  }
  return { inside, all };
}

const NEAR_KM = 50;
const EARTH_KM = 6371;

/** How far the middle of it is from the water where that is too far for one picture, km; `km` null: not on the Earth. */
export function farFrom(map: FeatureCollection, water: Feature | null): { at: Position; km: number | null } | null {
  const [box, home] = [boundsOf(map.features), water && boundsOf([water])];
  if (!box || !home) return null;
  const middle = ([w, s, e, n]: [number, number, number, number]): [number, number] => [(w + e) / 2, (s + n) / 2];
  const [at, there] = [middle(box), middle(home)];
  if (Math.abs(at[1]) > 90 || Math.abs(at[0]) > 180) return { at, km: null };
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const half = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2;
  const across = Math.cos(radians(at[1])) * Math.cos(radians(there[1]));
  const km = 2 * EARTH_KM * Math.asin(Math.sqrt(Math.min(1, half(at[1] - there[1]) + across * half(at[0] - there[0]))));
  return km > NEAR_KM ? { at, km } : null;
}

/** Where the middle of it lies: "47.6500, -117.0800". */
export function middleInWords(map: FeatureCollection): string {
  const box = boundsOf(map.features);
  return box ? `${((box[1] + box[3]) / 2).toFixed(4)}, ${((box[0] + box[2]) / 2).toFixed(4)}` : '–';
}

export function kindsOf(map: FeatureCollection): [kind: string, count: number][] {
  const made = new Map<string, number>();
  for (const one of map.features) {
    const kind = String(one.properties?.kind ?? '');
    made.set(kind, (made.get(kind) ?? 0) + 1);
  }
  return [...made].sort((a, b) => b[1] - a[1]);
}

export type Doubles = 'replace' | 'renumber' | 'skip';

export interface Ids {
  missing: number;
  /** Twice in the file itself. */
  twice: string[];
  /** In the draft already. */
  there: string[];
}

export function idsOf(map: FeatureCollection, draft: FeatureCollection): Ids {
  const seen = new Set<string>();
  const twice = new Set<string>();
  const mine = new Set(draft.features.map(idOf));
  let missing = 0;
  for (const one of map.features) {
    const id = idOf(one);
    if (id === null) missing++;
    else if (seen.has(id)) twice.add(id);
    else seen.add(id);
  }
  return { missing, twice: [...twice], there: [...seen].filter((id) => mine.has(id)) };
}

/** Positions have so many decimals that a step is a centimetre. */
const DIGITS = 7;

const rounded = (at: Position): Position => at.map((n) => Number(n.toFixed(DIGITS)));

/** The draft with the features of a file in it; features that stay keep their place. */
export function taken(
  draft: FeatureCollection,
  file: FeatureCollection,
  { unit, doubles }: { unit: string; doubles: Doubles },
): FeatureCollection {
  const used = new Set(draft.features.map(idOf).filter((id) => id !== null));
  const free = (wanted: string): string => {
    let id = wanted;
    for (let n = 2; used.has(id); n++) id = `${wanted}-${n}`;
    used.add(id);
    return id;
  };
  const replaced = new Map<string, Feature>();
  const added: Feature[] = [];
  const own = new Set<string>();
  for (const one of file.features) {
    const made: Feature = {
      ...withUnit(one, unit),
      geometry: one.geometry && mapped(one.geometry, rounded),
    };
    const kind = String(made.properties?.kind ?? 'feature').replaceAll('_', '-');
    const id = idOf(made);
    const isThere = id !== null && used.has(id) && !own.has(id);
    if (isThere && doubles === 'skip') continue;
    if (isThere && doubles === 'replace') {
      replaced.set(id, made);
      own.add(id);
      continue;
    }
    const fresh = free(id ?? kind);
    own.add(fresh);
    added.push(id === fresh ? made : { ...made, id: fresh });
  }
  const kept = draft.features.map((one) => replaced.get(idOf(one) ?? '') ?? one);
  return { ...draft, features: [...kept, ...added] };
}
