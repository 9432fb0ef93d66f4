/** What trails and surrounds boats: tails of 75 s, tow ropes and skiers, rings around what others must keep off. */
import type { Feature } from 'geojson';
import type { Mark } from '../api/types';
import { isOverLimit } from '../store/boats';
import { feature, lineOf, pointOf } from './features';
import type { Seen } from './fleet';
import { ring } from './ground';

const TAILS_MOST = 300;
const PIECES = 5;
const LONGEST_STEP_MS = 15_000;

/** Whose tails are drawn: those in view; above 300 only of those that matter. */
export function tailed(all: readonly Seen[], chosen: string | null): Seen[] {
  const list = all.filter(
    ({ boat, ageing, isInView }) =>
      isInView && boat.tail.length > 1 && boat.state !== 'at_rest' && boat.state !== 'at_dock' && ageing !== 'lost',
  );
  if (list.length <= TAILS_MOST) return list;
  return list
    .filter(
      ({ boat }) => boat.id === chosen || boat.open.length || boat.tow || boat.class === 'patrol' || isOverLimit(boat),
    )
    .slice(0, TAILS_MOST);
}

/** Tails, fading to 15 %. */
export function tails(list: readonly Seen[]): Feature[] {
  const features: Feature[] = [];
  for (const { boat, ageing } of list) {
    const isStale = ageing === 'stale';
    const { tail } = boat;
    const size = Math.max(2, Math.ceil(tail.length / PIECES));
    for (let from = 0; from < tail.length - 1; from += size) {
      const piece = tail.slice(from, from + size + 1);
      if (piece.length < 2) break;
      // In a gap nothing is drawn as if known.
      if (piece.some((point, i) => i > 0 && point.t_ms - piece[i - 1]!.t_ms > LONGEST_STEP_MS)) continue;
      const step = Math.max(...piece.map((point) => point.step));
      features.push(
        lineOf(
          piece.map((point) => [point.lon, point.lat]),
          { step: isStale ? 0 : step, fade: 0.15 + 0.85 * ((from + size) / (tail.length + size)) },
        ),
      );
    }
  }
  return features;
}

/** Ropes and skiers where the daemon knows or estimates a place. */
export const tows = (all: readonly Seen[]): Feature[] =>
  all.flatMap(({ boat }) => {
    const skier = boat.tow?.skier;
    if (!skier) return [];
    return [
      lineOf([
        [boat.lon, boat.lat],
        [skier.lon, skier.lat],
      ]),
      pointOf(skier, { symbol: skier.is_estimated ? 'skier-estimated' : 'skier' }),
    ];
  });

/** What others must keep off by the strip's width: marks, and boats in view at rest or trolling. */
export function ringed(all: readonly Seen[], marks: readonly Mark[]): { lon: number; lat: number }[] {
  const places: { lon: number; lat: number }[] = [];
  for (const { lon, lat } of marks) if (lat !== null && lon !== null) places.push({ lon, lat });
  for (const { boat, ageing, isInView } of all) {
    if (isInView && ageing === 'fresh' && (boat.state === 'at_rest' || boat.state === 'trolling')) places.push(boat);
  }
  return places;
}

export const rings = (places: readonly { lon: number; lat: number }[], strip_m: number): Feature[] =>
  places.map(({ lon, lat }) => feature(ring(lon, lat, strip_m)));
