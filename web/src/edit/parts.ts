/** Geometries as simple pieces that can be dragged, and back; and what differs between two maps. */
import type { Feature, FeatureCollection, Geometry, LineString, Point, Polygon, Position } from 'geojson';
import { idOf } from '../map/zones';

export type Piece = Point | LineString | Polygon;

/** The pieces of a geometry: each ring of an area on its own, so that islands can be moved too. */
export function piecesOf(geometry: Geometry): Piece[] {
  switch (geometry.type) {
    case 'Point':
    case 'LineString':
      return [geometry];
    case 'MultiPoint':
      return geometry.coordinates.map((coordinates) => ({ type: 'Point', coordinates }));
    case 'MultiLineString':
      return geometry.coordinates.map((coordinates) => ({ type: 'LineString', coordinates }));
    case 'Polygon':
      return geometry.coordinates.map((ring) => ({ type: 'Polygon', coordinates: [ring] }));
    case 'MultiPolygon':
      return geometry.coordinates.flat().map((ring) => ({ type: 'Polygon', coordinates: [ring] }));
    case 'GeometryCollection':
      return geometry.geometries.flatMap(piecesOf);
  }
}

const lineOf = (piece: Piece): Position[] =>
  piece.type === 'Point'
    ? [piece.coordinates]
    : piece.type === 'LineString'
      ? piece.coordinates
      : (piece.coordinates[0] ?? []);

/** The geometry with piece `index` replaced. */
export function withPiece(geometry: Geometry, index: number, piece: Piece): Geometry {
  const line = lineOf(piece);
  switch (geometry.type) {
    case 'Point':
      return { type: 'Point', coordinates: line[0]! };
    case 'LineString':
      return { type: 'LineString', coordinates: line };
    case 'MultiPoint':
      return { ...geometry, coordinates: geometry.coordinates.map((at, i) => (i === index ? line[0]! : at)) };
    case 'MultiLineString':
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map((at, i) => (i === index ? line : at)) };
    case 'MultiPolygon': {
      let i = 0;
      return {
        ...geometry,
        coordinates: geometry.coordinates.map((polygon) => polygon.map((ring) => (i++ === index ? line : ring))),
      };
    }
    case 'GeometryCollection': {
      let i = index;
      return {
        ...geometry,
        geometries: geometry.geometries.map((one) => {
          const count = piecesOf(one).length;
          const mine = i >= 0 && i < count ? withPiece(one, i, piece) : one;
          i -= count;
          return mine;
        }),
      };
    }
  }
}

/** All corners with the place they have, without the closing one of rings. */
export function corners(geometry: Geometry): { piece: number; index: number; at: Position }[] {
  return piecesOf(geometry).flatMap((piece, n) => {
    const line = lineOf(piece);
    return (piece.type === 'Polygon' ? line.slice(0, -1) : line).map((at, index) => ({ piece: n, index, at }));
  });
}

/** The geometry with one corner moved, or taken out (`to` null); null where too few would remain. */
export function withCorner(geometry: Geometry, piece: number, index: number, to: Position | null): Geometry | null {
  const old = piecesOf(geometry)[piece];
  if (!old) return null;
  let line = [...lineOf(old)];
  if (old.type === 'Polygon') line = line.slice(0, -1);
  if (to) line[index] = to;
  else line.splice(index, 1);
  const least = old.type === 'Point' ? 1 : old.type === 'LineString' ? 2 : 3;
  if (line.length < least) return null;
  if (old.type === 'Polygon') line.push(line[0]!);
  const made: Piece =
    old.type === 'Point'
      ? { type: 'Point', coordinates: line[0]! }
      : old.type === 'LineString'
        ? { type: 'LineString', coordinates: line }
        : { type: 'Polygon', coordinates: [line] };
  return withPiece(geometry, piece, made);
}

export interface Change {
  id: string;
  what: 'added' | 'removed' | 'changed';
  before: Feature | null;
  after: Feature | null;
  isGeometry: boolean;
  keys: string[];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Features by id; those without one by their place in the file. */
export function byId(map: FeatureCollection): Map<string, Feature> {
  return new Map(map.features.map((feature, i) => [idOf(feature) ?? `#${i}`, feature]));
}

/** What `after` changes in `before`, in the order of `after`, removed ones last. */
export function changesBetween(before: FeatureCollection, after: FeatureCollection): Change[] {
  const [old, fresh] = [byId(before), byId(after)];
  const changes: Change[] = [];
  for (const [id, feature] of fresh) {
    const was = old.get(id) ?? null;
    if (!was) changes.push({ id, what: 'added', before: null, after: feature, isGeometry: true, keys: [] });
    else if (!same(was, feature)) {
      const keys = [
        ...new Set([...Object.keys(was.properties ?? {}), ...Object.keys(feature.properties ?? {})]),
      ].filter((key) => !same(was.properties?.[key], feature.properties?.[key]));
      changes.push({
        id,
        what: 'changed',
        before: was,
        after: feature,
        isGeometry: !same(was.geometry, feature.geometry),
        keys,
      });
    }
  }
  for (const [id, feature] of old)
    if (!fresh.has(id)) changes.push({ id, what: 'removed', before: feature, after: null, isGeometry: true, keys: [] });
  return changes;
}

export interface Merge {
  merged: FeatureCollection;
  /** Ids that both sides changed, otherwise. */
  conflicts: string[];
}

/** Three ways: what one side changed is taken from it; what both changed is taken as `choose` says. */
export function mergeThree(
  base: FeatureCollection,
  mine: FeatureCollection,
  theirs: FeatureCollection,
  choose: (id: string) => 'mine' | 'theirs',
): Merge {
  const [b, m, t] = [byId(base), byId(mine), byId(theirs)];
  const conflicts: string[] = [];
  const features: Feature[] = [];
  for (const id of new Set([...t.keys(), ...m.keys()])) {
    const [was, own, other] = [b.get(id), m.get(id), t.get(id)];
    let kept: Feature | undefined;
    if (same(own, other) || same(other, was)) kept = own;
    else if (same(own, was)) kept = other;
    else {
      conflicts.push(id);
      kept = choose(id) === 'mine' ? own : other;
    }
    if (kept) features.push(kept);
  }
  return { merged: { ...theirs, features }, conflicts };
}

/** A position in decimal degrees, degrees and minutes, or degrees, minutes and seconds; null if unreadable. */
export function parseDegrees(text: string): number | null {
  const clean = text.trim().toUpperCase();
  const sign = /[SW]/.test(clean) || clean.startsWith('-') || clean.startsWith('−') ? -1 : 1;
  const numbers = clean
    .replace(/[NSEW−-]/g, ' ')
    .match(/\d+(?:\.\d+)?/g)
    ?.map(Number);
  if (!numbers || numbers.length > 3) return null;
  const [degrees = 0, minutes = 0, seconds = 0] = numbers;
  if (minutes >= 60 || seconds >= 60) return null;
  const value = sign * (degrees + minutes / 60 + seconds / 3600);
  return Math.abs(value) <= 180 ? value : null;
}
