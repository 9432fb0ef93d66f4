/** Instants as clocks of the waterway show them, spans as people say them. Every clock names its zone. */

const formats = new Map<string, Intl.DateTimeFormat>();
const letters = new Map<string, string>();

function format(zone: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${zone} ${key}`;
  let made = formats.get(id);
  if (!made) {
    made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    formats.set(id, made);
  }
  return made;
}

/** Milliseconds since 1970; NaN for what is not there. */
export const msOf = (t: string | null | undefined): number => (t ? Date.parse(t) : NaN);
export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** "19:42:14" */
export const clock = (ms: number, zone: string): string =>
  format(zone, 'hms', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(ms);

/** "19:42:14.2" */
export const clockTenths = (ms: number, zone: string): string =>
  `${clock(ms, zone)}.${Math.floor((((ms % 1000) + 1000) % 1000) / 100)}`;

/** "19:42" */
export const clockShort = (ms: number, zone: string): string =>
  format(zone, 'hm', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms);

/** "4 Jul 2026" */
export const day = (ms: number, zone: string): string =>
  format(zone, 'day', { day: 'numeric', month: 'short', year: 'numeric' }).format(ms);

/** "Sat 4 Jul 2026" */
export const weekday = (ms: number, zone: string): string =>
  format(zone, 'weekday', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
    .format(ms)
    .replace(',', '');

/** The letters of the zone at that instant: "PDT"; "GMT+2" where it has none in English. */
export function zoneLetters(ms: number, zone: string): string {
  // Clocks change on the quarter of an hour at most: what was found out for one is kept.
  const key = `${zone} ${Math.floor(ms / 900_000)}`;
  let known = letters.get(key);
  if (known === undefined) {
    const name = (locale: string): string => {
      const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(ms);
      return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone;
    };
    const american = name('en-US');
    known = american.startsWith('GMT') ? name('en-GB') : american;
    if (letters.size > 500) letters.clear();
    letters.set(key, known);
  }
  return known;
}

/** The same instant in UTC with its own date: "UTC 02:42:13.2 on 5 Jul". */
export function inUtc(ms: number): string {
  const date = format('UTC', 'daymonth', { day: 'numeric', month: 'short' }).format(ms);
  return `UTC ${clockTenths(ms, 'UTC')} on ${date}`;
}

/** "19:42:14 PDT", "19:42 PDT": clocks that stand by themselves name their zone. */
export const clockZoned = (ms: number, zone: string): string => `${clock(ms, zone)} ${zoneLetters(ms, zone)}`;
export const clockShortZoned = (ms: number, zone: string): string => `${clockShort(ms, zone)} ${zoneLetters(ms, zone)}`;

/** The date where it is not that of `now`, else nothing: "3 Jul 2026, ". */
export function dateUnlessToday(ms: number, now: number, zone: string): string {
  const then = day(ms, zone);
  return then === day(now, zone) ? '' : `${then}, `;
}

/** "0.6 s", "14 s", "3 min", "1 h 38 min", "2 d 4 h" */
export function span(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 9.95) return `${s.toFixed(1)} s`;
  if (s < 120) return `${Math.round(s)} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** "3 s", "94 s", "6 min": ages in whole seconds. */
export const age = (seconds: number): string =>
  seconds < 10 ? `${Math.max(0, Math.floor(seconds))} s` : span(seconds);

/** The instant of a wall clock at a place: "2026-07-04T19:42:13.2" in `zone`; null if unreadable. */
export function fromLocal(text: string, zone: string): number | null {
  const guess = Date.parse(`${text}Z`);
  if (Number.isNaN(guess)) return null;
  // Twice, so that the offset is that of the instant meant and not of the guess.
  let ms = guess - offset(guess, zone);
  ms = guess - offset(ms, zone);
  return ms;
}

/** "2026-07-04T19:42:13", for a field of type datetime-local. */
export function toLocal(ms: number, zone: string): string {
  return new Date(ms + offset(ms, zone)).toISOString().slice(0, 19);
}

/** Zone offset in milliseconds, east positive. */
function offset(ms: number, zone: string): number {
  const parts = format(zone, 'all', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(ms);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return local - Math.floor(ms / 1000) * 1000;
}
