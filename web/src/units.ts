/**
 * Speeds and distances as people read them; the only place of the console with conversion factors.
 * The rulebook's unit comes first and is always used for limits; a personal unit is added in brackets.
 */
import type { DistanceUnit, SpeedUnit } from './api/types';

const PER_MPS: Record<SpeedUnit, number> = { mph: 3600 / 1609.344, kn: 3600 / 1852, 'km/h': 3.6 };
const PER_METRE: Record<DistanceUnit, number> = { ft: 1 / 0.3048, m: 1 };
export const SPEED_UNITS: SpeedUnit[] = ['mph', 'kn', 'km/h'];

export interface Units {
  speed: SpeedUnit;
  distance: DistanceUnit;
}

export const speedIn = (mps: number, unit: SpeedUnit): number => mps * PER_MPS[unit];
export const distanceIn = (metres: number, unit: DistanceUnit): number => metres * PER_METRE[unit];
export const mpsOf = (value: number, unit: SpeedUnit): number => value / PER_MPS[unit];
export const metresOf = (value: number, unit: DistanceUnit): number => value / PER_METRE[unit];

/** `value` with `digits`, and one more (up to two) where rounding would hide which side of `limit` it is on. */
function honest(value: number, limit: number | null, digits: number): string {
  for (let extra = 0; extra <= 2; extra++) {
    const text = value.toFixed(digits + extra);
    if (limit === null || Math.sign(Number(text) - limit) === Math.sign(value - limit) || value === limit) return text;
  }
  return value.toFixed(digits + 2);
}

const grouped = (text: string): string => {
  const [whole = '', part] = text.split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? spaced : `${spaced}.${part}`;
};

/** The number of a speed, 0.1 steps: "12.4". */
export function speedNumber(mps: number, unit: SpeedUnit, limit_mps: number | null = null): string {
  return honest(speedIn(mps, unit), limit_mps === null ? null : speedIn(limit_mps, unit), 1);
}

/** A limit, without needless zeros: "5", "7.5". */
export function limitNumber(mps: number, unit: SpeedUnit): string {
  return String(Math.round(speedIn(mps, unit) * 10) / 10);
}

/** The number of a distance, whole units: "31", "49.7" beside a limit of 50. */
export function distanceNumber(metres: number, unit: DistanceUnit, limit_m: number | null = null): string {
  return grouped(honest(distanceIn(metres, unit), limit_m === null ? null : distanceIn(limit_m, unit), 0));
}

export const speedText = (mps: number, unit: SpeedUnit, limit_mps: number | null = null): string =>
  `${speedNumber(mps, unit, limit_mps)} ${unit}`;
export const limitText = (mps: number, unit: SpeedUnit): string => `${limitNumber(mps, unit)} ${unit}`;
export const distanceText = (metres: number, unit: DistanceUnit, limit_m: number | null = null): string =>
  `${distanceNumber(metres, unit, limit_m)} ${unit}`;

/** "12.4 / 5 mph", as plates have it. */
export const againstLimit = (mps: number, limit_mps: number, unit: SpeedUnit): string =>
  `${speedNumber(mps, unit, limit_mps)} / ${limitText(limit_mps, unit)}`;

/** A speed limit typed with its unit; null for a bare number or anything else. */
export function parseSpeed(text: string): number | null {
  const found = /^\s*(\d+(?:\.\d+)?)\s*(mph|kn|kt|knots?|km\/h|kmh|kph)\s*$/i.exec(text);
  if (!found) return null;
  const word = found[2]!.toLowerCase();
  const unit: SpeedUnit = word === 'mph' ? 'mph' : word.startsWith('k') && word.includes('h') ? 'km/h' : 'kn';
  return mpsOf(Number(found[1]), unit);
}

/** Which fifth of the speed ramp a speed is in: 1 up to 80 % of the limit … 5 above twice; 0 where nothing is known. */
export function rampStep(sog_mps: number | null, limit_mps: number | null): 0 | 1 | 2 | 3 | 4 | 5 {
  if (sog_mps === null || limit_mps === null || !(limit_mps > 0)) return 0;
  const share = sog_mps / limit_mps;
  return share <= 0.8 ? 1 : share <= 1 ? 2 : share <= 1.25 ? 3 : share <= 2 ? 4 : 5;
}
