/** What can be mended without asking, because only one thing can be meant; each can be undone like any change. */
import type { Feature, Geometry, Position } from 'geojson';
import type { Fault } from '../api/types';
import { distance } from '../map/ground';
import { words } from '../words/en';

/** Nearer than this two positions are one, metres; as the check has it. */
const SAME_M = 0.001;

export interface Fix {
  /** What it does, in words. */
  does: string;
  make: (feature: Feature) => Feature;
}

const lines = (geometry: Geometry, make: (line: Position[], isRing: boolean) => Position[]): Geometry => {
  switch (geometry.type) {
    case 'LineString':
      return { ...geometry, coordinates: make(geometry.coordinates, false) };
    case 'MultiLineString':
      return { ...geometry, coordinates: geometry.coordinates.map((line) => make(line, false)) };
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map((ring) => make(ring, true)) };
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map((rings) => rings.map((ring) => make(ring, true))) };
    case 'GeometryCollection':
      return { ...geometry, geometries: geometry.geometries.map((one) => lines(one, make)) };
    default:
      return geometry;
  }
};

const single = (line: Position[], isRing: boolean): Position[] => {
  const kept = line.filter((place, i) => i === 0 || distance(line[i - 1]!, place) >= SAME_M);
  return kept.length >= (isRing ? 4 : 2) ? kept : line;
};
const closed = (line: Position[], isRing: boolean): Position[] => {
  const [first, last] = [line[0], line.at(-1)];
  return isRing && first && last && (first[0] !== last[0] || first[1] !== last[1]) ? [...line, first] : line;
};
const withProperties = (
  feature: Feature,
  make: (old: Record<string, unknown>) => Record<string, unknown>,
): Feature => ({
  ...feature,
  properties: make({ ...feature.properties }),
});

/** The mending of a fault; null where it takes a person to know what is meant. */
export function fixOf(fault: Fault): Fix | null {
  const e = words.edit.fix;
  if (!fault.feature) return null;
  if (fault.lint === 'duplicate-vertices')
    return { does: e.doubles, make: (one) => ({ ...one, geometry: lines(one.geometry, single) }) };
  if (fault.message.startsWith('the ring is not closed'))
    return { does: e.close, make: (one) => ({ ...one, geometry: lines(one.geometry, closed) }) };
  const read = /^(\w+) is a text; it was read as (true|false|a number)/.exec(fault.message);
  if (read) {
    const [, key, as] = read as unknown as [string, string, string];
    return {
      does: e.asRead(key),
      make: (one) =>
        withProperties(one, (old) => ({
          ...old,
          [key]: as === 'a number' ? Number(String(old[key]).trim()) : as === 'true',
        })),
    };
  }
  const slip = /^no property is called "([^"]+)".*nearest known is "([^"]+)"/.exec(fault.message);
  if (slip) {
    const [, wrong, right] = slip as unknown as [string, string, string];
    return {
      does: e.rename(wrong, right),
      make: (one) =>
        withProperties(one, (old) =>
          // In its place, so that the file differs in one word.
          Object.fromEntries(Object.entries(old).map(([key, value]) => [key === wrong ? right : key, value])),
        ),
    };
  }
  return null;
}
