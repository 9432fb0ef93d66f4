/** The boats of the waterway on screen: newest state, a short tail each. Changed in place; who draws them listens. */
import { signal } from '@preact/signals';
import type { Boat } from '../api/types';
import { rampStep } from '../units';
import { msOf } from '../time';
import { now } from './clock';

/** A place on a tail. */
export interface TailPoint {
  t_ms: number;
  lon: number;
  lat: number;
  step: number;
}

export interface BoatNow extends Boat {
  t_ms: number;
  /** Speed against the limit in force, 0 to 5. */
  step: number;
  tail: TailPoint[];
}

export type Age = 'fresh' | 'stale' | 'lost' | 'gone';

const TAIL_MS = 75_000;
const LOST_S = 5 * 60;
const GONE_S = 30 * 60;

export const boats = new Map<string, BoatNow>();
/** Counts up with every change, for screens that show lists. */
export const boatsVersion = signal(0);
/** How many there are; changes far less often. */
export const boatCount = signal(0);

type Listener = (changed: ReadonlySet<string>, gone: readonly string[]) => void;
const listeners = new Set<Listener>();

export function onBoats(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Takes over new states; `isAll` replaces everything there was. */
export function hearBoats(states: readonly Boat[], gone: readonly string[] = [], isAll = false): void {
  const changed = new Set<string>();
  const lost = [...gone];
  if (isAll) {
    const kept = new Set(states.map((state) => state.id));
    for (const id of boats.keys()) if (!kept.has(id)) lost.push(id);
  }
  for (const state of states) {
    const t_ms = msOf(state.t);
    const before = boats.get(state.id);
    if (before && before.t_ms > t_ms) continue;
    const step = rampStep(state.sog_mps, state.limit?.speed_mps ?? null);
    const tail = before?.tail ?? [];
    if (!before || before.t_ms < t_ms) tail.push({ t_ms, lon: state.lon, lat: state.lat, step });
    while (tail.length && tail[0]!.t_ms < t_ms - TAIL_MS) tail.shift();
    boats.set(state.id, { ...state, t_ms, step, tail });
    changed.add(state.id);
  }
  for (const id of lost) boats.delete(id);
  if (!changed.size && !lost.length) return;
  boatsVersion.value++;
  boatCount.value = boats.size;
  for (const listener of listeners) listener(changed, lost);
}

export function forgetBoats(): void {
  hearBoats([], [], true);
}

/** Seconds since the fix was made. */
export const ageOf = (boat: BoatNow, at = now()): number => (at - boat.t_ms) / 1000;

/** Fresh until max(10 s, three times its usual interval), lost after 5 min, off the map after 30 min. */
export function ageClass(boat: BoatNow, at = now()): Age {
  const s = ageOf(boat, at);
  if (s > GONE_S) return 'gone';
  if (s > LOST_S) return 'lost';
  return s > Math.max(10, 3 * (boat.interval_s || 1)) ? 'stale' : 'fresh';
}

export const isOverLimit = (boat: BoatNow): boolean => boat.step >= 3;
export const nameOf = (boat: { name?: string | null; id: string }): string => boat.name || boat.id;
