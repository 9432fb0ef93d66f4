/** What trails and surrounds boats: tails of 75 s, tow ropes and skiers, rings around what others must keep off. */
import type { Feature, FeatureCollection } from 'geojson';
import type { Mark } from '../api/types';
import { ageClass, boats, isOverLimit, type BoatNow } from '../store/boats';
import { ring } from './ground';

const TAILS_MOST = 300;
const PIECES = 5;
const LONGEST_STEP_MS = 15_000;

/** Tails, fading to 15 %; above 300 boats only of those that matter. */
export function tails(
  isIn: (lon: number, lat: number) => boolean,
  now: number,
  chosen: string | null,
): FeatureCollection {
  let list: BoatNow[] = [];
  for (const boat of boats.values()) {
    if (
      boat.tail.length > 1 &&
      boat.state !== 'at_rest' &&
      boat.state !== 'at_dock' &&
      isIn(boat.lon, boat.lat) &&
      ageClass(boat, now) !== 'lost'
    )
      list.push(boat);
  }
  if (list.length > TAILS_MOST) {
    list = list
      .filter(
        (boat) => boat.id === chosen || boat.open.length || boat.tow || boat.class === 'patrol' || isOverLimit(boat),
      )
      .slice(0, TAILS_MOST);
  }
  const features: Feature[] = [];
  for (const boat of list) {
    const isStale = ageClass(boat, now) === 'stale';
    const { tail } = boat;
    const size = Math.max(2, Math.ceil(tail.length / PIECES));
    for (let from = 0; from < tail.length - 1; from += size) {
      const piece = tail.slice(from, from + size + 1);
      if (piece.length < 2) break;
      // In a gap nothing is drawn as if known.
      if (piece.some((point, i) => i > 0 && point.t_ms - piece[i - 1]!.t_ms > LONGEST_STEP_MS)) continue;
      const step = Math.max(...piece.map((point) => point.step));
      features.push({
        type: 'Feature',
        geometry: { type: 'LineString', coordinates: piece.map((point) => [point.lon, point.lat]) },
        properties: { step: isStale ? 0 : step, fade: 0.15 + 0.85 * ((from + size) / (tail.length + size)) },
      });
    }
  }
  return { type: 'FeatureCollection', features };
}

/** Ropes and skiers where the daemon knows or estimates a place. */
export function tows(): FeatureCollection {
  const features: Feature[] = [];
  for (const boat of boats.values()) {
    const skier = boat.tow?.skier;
    if (!skier) continue;
    const place = [skier.lon, skier.lat];
    features.push({
      type: 'Feature',
      geometry: { type: 'LineString', coordinates: [[boat.lon, boat.lat], place] },
      properties: {},
    });
    features.push({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: place },
      properties: { symbol: skier.is_estimated ? 'skier-estimated' : 'skier' },
    });
  }
  return { type: 'FeatureCollection', features };
}

/** Rings of the strip's width round marks, and round boats at rest or trolling. */
export function rings(marks: readonly Mark[], strip_m: number | null, now: number): FeatureCollection {
  const features: Feature[] = [];
  if (strip_m) {
    for (const mark of marks)
      if (mark.lat !== null && mark.lon !== null)
        features.push({ type: 'Feature', geometry: ring(mark.lon, mark.lat, strip_m), properties: {} });
    for (const boat of boats.values()) {
      if ((boat.state === 'at_rest' || boat.state === 'trolling') && ageClass(boat, now) === 'fresh') {
        features.push({ type: 'Feature', geometry: ring(boat.lon, boat.lat, strip_m), properties: {} });
      }
    }
  }
  return { type: 'FeatureCollection', features };
}
