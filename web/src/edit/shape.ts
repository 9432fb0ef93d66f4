/** Whole shapes in the plane around them: moved, turned about their middle, cut in two by a drawn line. */
import type { Geometry, Polygon, Position } from 'geojson';
import { boundsOf, isWithin } from '../map/ground';

const M_PER_DEG = 111_195;
const DIGITS = 7;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));
const at = (x: number, y: number, rest: number[] = []): Position => [rounded(x), rounded(y), ...rest];

/** The geometry with `turn` done to every position. */
export function mapped<G extends Geometry>(geometry: G, turn: (at: Position) => Position): G {
  const walk = (value: unknown): unknown =>
    Array.isArray(value) && typeof value[0] === 'number' ? turn(value as Position) : (value as unknown[]).map(walk);
  return geometry.type === 'GeometryCollection'
    ? { ...geometry, geometries: geometry.geometries.map((one) => mapped(one, turn)) }
    : { ...geometry, coordinates: walk(geometry.coordinates) };
}

/** The middle of the box around a geometry. */
export function middleOf(geometry: Geometry): Position | null {
  const box = boundsOf([{ type: 'Feature', properties: null, geometry }]);
  return box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : null;
}

/** The geometry moved by metres to the east and the north, as a whole. */
export function moved<G extends Geometry>(geometry: G, east_m: number, north_m: number): G {
  const middle = middleOf(geometry);
  if (!middle) return geometry;
  const dx = east_m / (M_PER_DEG * Math.cos((middle[1]! * Math.PI) / 180));
  const dy = north_m / M_PER_DEG;
  return mapped(geometry, ([x, y, ...rest]) => at(x! + dx, y! + dy, rest));
}

/** The geometry turned clockwise about its middle. */
export function turned<G extends Geometry>(geometry: G, degrees: number): G {
  const middle = middleOf(geometry);
  if (!middle) return geometry;
  const kx = Math.cos((middle[1]! * Math.PI) / 180);
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return mapped(geometry, ([x, y, ...rest]) => {
    const [dx, dy] = [(x! - middle[0]!) * kx, y! - middle[1]!];
    return at(middle[0]! + (dx * cos + dy * sin) / kx, middle[1]! - dx * sin + dy * cos, rest);
  });
}

export type Unsplit = 'point' | 'miss' | 'ends' | 'many' | 'island' | 'collection';
export type Split = { parts: [Geometry, Geometry] } | { why: Unsplit };

interface Crossing {
  /** Along the shape: edge and share of it. */
  edge: number;
  share: number;
  /** Along the cut. */
  cutEdge: number;
  cutShare: number;
  place: Position;
}

/** Where a cut crosses a line, in the order of the line; a corner that is met counts once. */
function crossings(line: Position[], cut: Position[]): Crossing[] {
  const found: Crossing[] = [];
  for (let i = 0; i + 1 < line.length; i++) {
    const [a, b] = [line[i]!, line[i + 1]!];
    for (let j = 0; j + 1 < cut.length; j++) {
      const [c, d] = [cut[j]!, cut[j + 1]!];
      const [rx, ry, sx, sy] = [b[0]! - a[0]!, b[1]! - a[1]!, d[0]! - c[0]!, d[1]! - c[1]!];
      const cross = rx * sy - ry * sx;
      if (cross === 0) continue;
      const t = ((c[0]! - a[0]!) * sy - (c[1]! - a[1]!) * sx) / cross;
      const u = ((c[0]! - a[0]!) * ry - (c[1]! - a[1]!) * rx) / cross;
      if (t < 0 || t >= 1 || u < 0 || u >= 1) continue;
      found.push({ edge: i, share: t, cutEdge: j, cutShare: u, place: at(a[0]! + t * rx, a[1]! + t * ry) });
    }
  }
  return found.sort((p, q) => p.edge - q.edge || p.share - q.share);
}

const same = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];
/** Without positions that repeat the one before. */
const tidy = (line: Position[]): Position[] => line.filter((place, i) => i === 0 || !same(place, line[i - 1]!));

/** The cut with its ends drawn out a little, so that one that was snapped to an edge crosses it. */
function drawnOut(cut: Position[], by: number): Position[] {
  const beyond = (from: Position, to: Position): Position => {
    const [dx, dy] = [to[0]! - from[0]!, to[1]! - from[1]!];
    const length = Math.hypot(dx, dy) || 1;
    return [to[0]! + (dx / length) * by, to[1]! + (dy / length) * by];
  };
  return [beyond(cut[1]!, cut[0]!), ...cut.slice(1, -1), beyond(cut.at(-2)!, cut.at(-1)!)];
}

/** A hundredth of a metre more than snapping is off by, in degrees. */
const BEYOND_DEG = 2e-6;

/** A line or an area in two, along `cut`; or why that cannot be done. */
export function split(geometry: Geometry, cut: Position[]): Split {
  const line = tidy(cut);
  if (line.length < 2) return { why: 'miss' };
  const out = drawnOut(line, BEYOND_DEG);
  switch (geometry.type) {
    case 'Point':
    case 'MultiPoint':
      return { why: 'point' };
    case 'GeometryCollection':
      return { why: 'collection' };
    case 'LineString': {
      const halves = splitLine(geometry.coordinates, out);
      return 'why' in halves
        ? halves
        : {
            parts: [
              { type: 'LineString', coordinates: halves.parts[0] },
              { type: 'LineString', coordinates: halves.parts[1] },
            ],
          };
    }
    case 'MultiLineString':
      return splitMany(
        geometry.coordinates,
        (one) => splitLine(one, out),
        (lines) =>
          lines.length === 1
            ? { type: 'LineString', coordinates: lines[0]! }
            : { type: 'MultiLineString', coordinates: lines },
      );
    case 'Polygon': {
      const halves = splitPolygon(geometry.coordinates, out);
      return 'why' in halves
        ? halves
        : {
            parts: [
              { type: 'Polygon', coordinates: halves.parts[0] },
              { type: 'Polygon', coordinates: halves.parts[1] },
            ],
          };
    }
    case 'MultiPolygon':
      return splitMany(
        geometry.coordinates,
        (one) => splitPolygon(one, out),
        (areas) =>
          areas.length === 1
            ? { type: 'Polygon', coordinates: areas[0]! }
            : { type: 'MultiPolygon', coordinates: areas },
      );
  }
}

type Halves<T> = { parts: [T, T] } | { why: Unsplit };

/** Of several pieces the one that is cut: its first part stays with those before it, its second goes with those after. */
function splitMany<T>(pieces: T[], one: (piece: T) => Halves<T>, made: (pieces: T[]) => Geometry): Split {
  let why: Unsplit = 'miss';
  const cuts = pieces.map(one);
  const hit = cuts.flatMap((halves, i) => ('parts' in halves ? [i] : []));
  for (const halves of cuts) if ('why' in halves && halves.why !== 'miss') why = halves.why;
  if (why !== 'miss' || hit.length !== 1) return { why: hit.length > 1 ? 'many' : why };
  const place = hit[0]!;
  const halves = cuts[place] as { parts: [T, T] };
  return {
    parts: [made([...pieces.slice(0, place), halves.parts[0]]), made([halves.parts[1], ...pieces.slice(place + 1)])],
  };
}

function splitLine(line: Position[], cut: Position[]): Halves<Position[]> {
  const isRing = line.length > 3 && same(line[0]!, line.at(-1)!);
  const found = crossings(line, cut);
  if (!found.length) return { why: 'miss' };
  if (found.length !== (isRing ? 2 : 1)) return { why: isRing && found.length === 1 ? 'ends' : 'many' };
  const [p, q] = [found[0]!, found[1]];
  const parts: [Position[], Position[]] = q
    ? [
        tidy([p.place, ...line.slice(p.edge + 1, q.edge + 1), q.place]),
        tidy([q.place, ...line.slice(q.edge + 1, -1), ...line.slice(0, p.edge + 1), p.place]),
      ]
    : [tidy([...line.slice(0, p.edge + 1), p.place]), tidy([p.place, ...line.slice(p.edge + 1)])];
  return parts.some((part) => part.length < 2) ? { why: 'miss' } : { parts };
}

function splitPolygon(rings: Position[][], cut: Position[]): Halves<Position[][]> {
  const [shell, ...holes] = rings;
  if (!shell) return { why: 'miss' };
  const found = crossings(shell, cut);
  if (!found.length) return { why: 'miss' };
  if (found.length === 1) return { why: 'ends' };
  if (found.length > 2) return { why: 'many' };
  const area: Polygon = { type: 'Polygon', coordinates: [shell] };
  if ([cut[0]!, cut.at(-1)!].some((end) => isWithin({ type: 'Feature', properties: null, geometry: area }, end)))
    return { why: 'ends' };
  if (holes.some((hole) => crossings(hole, cut).length)) return { why: 'island' };
  const [p, q] = [found[0]!, found[1]!];
  // The cut between the two places, from p to q.
  const along = (one: Crossing): number => one.cutEdge + one.cutShare;
  const [first, last] = along(p) < along(q) ? [p, q] : [q, p];
  const inner = cut.slice(first.cutEdge + 1, last.cutEdge + 1).map(([x, y]) => at(x!, y!));
  const fromPtoQ = first === p ? inner : [...inner].reverse();
  const one = tidy([p.place, ...shell.slice(p.edge + 1, q.edge + 1), q.place, ...[...fromPtoQ].reverse(), p.place]);
  const two = tidy([
    q.place,
    ...shell.slice(q.edge + 1, -1),
    ...shell.slice(0, p.edge + 1),
    p.place,
    ...fromPtoQ,
    q.place,
  ]);
  if (one.length < 4 || two.length < 4) return { why: 'miss' };
  const parts: [Position[][], Position[][]] = [[one], [two]];
  for (const hole of holes) {
    const isOfOne = isWithin(
      { type: 'Feature', properties: null, geometry: { type: 'Polygon', coordinates: [one] } },
      hole[0]!,
    );
    parts[isOfOne ? 0 : 1].push(hole);
  }
  return { parts };
}
