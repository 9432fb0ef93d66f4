/** Small plane geometry for drawing only: rings, nearest places, metres per pixel. Nothing is judged with it. */
import type { Feature, Geometry, Polygon, Position } from 'geojson';

const M_PER_DEG = 111_195;
const east = (lat: number): number => M_PER_DEG * Math.cos((lat * Math.PI) / 180);

/** Ground metres a CSS pixel covers at a zoom of the map (tiles of 512 px). */
export const metresPerPixel = (lat: number, zoom: number): number =>
  (78_271.517 * Math.cos((lat * Math.PI) / 180)) / 2 ** zoom;

/** Share of the world's width from the west, of its height from the north edge of Web Mercator. */
export const acrossOf = (lon: number): number => lon / 360 + 0.5;
export const downOf = (lat: number): number =>
  0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
/** Width of the whole world at a zoom of the map, px. */
export const worldPx = (zoom: number): number => 512 * 2 ** zoom;

/** A place in px of a world so wide. */
export const placeIn = (world_px: number, lon: number, lat: number): { x: number; y: number } => ({
  x: acrossOf(lon) * world_px,
  y: downOf(lat) * world_px,
});

/** A circle of `radius_m` as a ring of 48 corners. */
export function ring(lon: number, lat: number, radius_m: number): Polygon {
  const corners: Position[] = [];
  for (let i = 0; i <= 48; i++) {
    const turn = (i * Math.PI) / 24;
    corners.push([lon + (Math.sin(turn) * radius_m) / east(lat), lat + (Math.cos(turn) * radius_m) / M_PER_DEG]);
  }
  return { type: 'Polygon', coordinates: [corners] };
}

/** Metres between two places, good to a per mille over a lake. */
export function distance(a: Position, b: Position): number {
  const lat = (a[1]! + b[1]!) / 2;
  return Math.hypot((a[0]! - b[0]!) * east(lat), (a[1]! - b[1]!) * M_PER_DEG);
}

/** Degrees true from `a` to `b`. */
export function bearing(a: Position, b: Position): number {
  const lat = (a[1]! + b[1]!) / 2;
  return ((Math.atan2((b[0]! - a[0]!) * east(lat), (b[1]! - a[1]!) * M_PER_DEG) * 180) / Math.PI + 360) % 360;
}

function nearestOnLine(line: Position[], at: Position): Position | null {
  let best: Position | null = null;
  let least = Infinity;
  const kx = east(at[1]!);
  for (let i = 0; i < line.length; i++) {
    const a = line[i]!;
    const b = line[Math.min(i + 1, line.length - 1)]!;
    const dx = (b[0]! - a[0]!) * kx;
    const dy = (b[1]! - a[1]!) * M_PER_DEG;
    const length2 = dx * dx + dy * dy;
    const along = length2 ? ((at[0]! - a[0]!) * kx * dx + (at[1]! - a[1]!) * M_PER_DEG * dy) / length2 : 0;
    const share = Math.max(0, Math.min(1, along));
    const place: Position = [a[0]! + share * (b[0]! - a[0]!), a[1]! + share * (b[1]! - a[1]!)];
    const gap = distance(place, at);
    if (gap < least) {
      least = gap;
      best = place;
    }
  }
  return best;
}

/** The place of a geometry's edge that is nearest to `at`. */
export function nearestOn(geometry: Geometry, at: Position): Position | null {
  const lines: Position[][] = linesOf(geometry);
  let best: Position | null = null;
  for (const line of lines) {
    const place = nearestOnLine(line, at);
    if (place && (!best || distance(place, at) < distance(best, at))) best = place;
  }
  return best;
}

/** The lines of a geometry: its rings, its ways, each of its points. */
export function linesOf(geometry: Geometry): Position[][] {
  switch (geometry.type) {
    case 'Point':
      return [[geometry.coordinates]];
    case 'MultiPoint':
      return geometry.coordinates.map((one) => [one]);
    case 'LineString':
      return [geometry.coordinates];
    case 'MultiLineString':
    case 'Polygon':
      return geometry.coordinates;
    case 'MultiPolygon':
      return geometry.coordinates.flat();
    case 'GeometryCollection':
      return geometry.geometries.flatMap(linesOf);
  }
}

/** Whether `at` is within a polygon, holes left out. */
export function isWithin(feature: Feature, at: Position): boolean {
  const polygons =
    feature.geometry?.type === 'Polygon'
      ? [feature.geometry.coordinates]
      : feature.geometry?.type === 'MultiPolygon'
        ? feature.geometry.coordinates
        : [];
  const isIn = (corners: Position[]): boolean => {
    let isInside = false;
    for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
      const [xi, yi] = corners[i] as [number, number];
      const [xj, yj] = corners[j] as [number, number];
      if (yi > at[1]! !== yj > at[1]! && at[0]! < ((xj - xi) * (at[1]! - yi)) / (yj - yi) + xi) isInside = !isInside;
    }
    return isInside;
  };
  return polygons.some(([shell, ...holes]) => !!shell && isIn(shell) && !holes.some(isIn));
}

/** [west, south, east, north] of features; null when there is nothing. */
export function boundsOf(features: readonly Feature[]): [number, number, number, number] | null {
  let [w, s, e, n] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const feature of features) {
    if (!feature.geometry) continue;
    for (const line of linesOf(feature.geometry)) {
      for (const [x, y] of line as [number, number][]) {
        w = Math.min(w, x);
        s = Math.min(s, y);
        e = Math.max(e, x);
        n = Math.max(n, y);
      }
    }
  }
  return w <= e ? [w, s, e, n] : null;
}
