/** When a feature is in force: its season and its hours, read from the map's words and said back in a sentence. */
import { clockShort, day, msOf, zoneLetters } from '../time';

export const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
export const DAYS_OF_YEAR = 366;

export type Season =
  | { is: 'always' }
  /** Days of a leap year from 0, both within; from after until: over the turn of the year. */
  | { is: 'yearly'; from: number; until: number }
  | { is: 'once'; from: string | null; until: string | null }
  | { is: 'unread' };

/** "05-01" as a day of the year from 0; null for anything else. */
export function dayOf(text: unknown): number | null {
  const found = typeof text === 'string' ? /^(\d\d)-(\d\d)$/.exec(text.trim()) : null;
  if (!found) return null;
  const [month, date] = [Number(found[1]), Number(found[2])];
  const length = MONTH_DAYS[month - 1];
  if (length === undefined || date < 1 || date > length) return null;
  return MONTH_DAYS.slice(0, month - 1).reduce<number>((sum, days) => sum + days, 0) + date - 1;
}

const monthOf = (dayOfYear: number): [month: number, date: number] => {
  let rest = dayOfYear;
  let month = 0;
  while (rest >= MONTH_DAYS[month]!) rest -= MONTH_DAYS[month++]!;
  return [month, rest + 1];
};
const two = (n: number): string => String(n).padStart(2, '0');
/** A day of the year from 0 as "05-01". */
export const textOfDay = (dayOfYear: number): string => {
  const [month, date] = monthOf(dayOfYear);
  return `${two(month + 1)}-${two(date)}`;
};
/** "1 May" */
export const dayInWords = (dayOfYear: number): string => {
  const [month, date] = monthOf(dayOfYear);
  return `${date} ${MONTHS[month]}`;
};

/** "1 May", "May 1", "05-01", "1.5.": a day of every year as people write it; null if unreadable. */
export function parseDay(text: string): number | null {
  const own = dayOf(text);
  if (own !== null) return own;
  const clean = text.trim().toLowerCase();
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name.toLowerCase()}`).test(clean));
  const date = Number(/\d+/.exec(clean)?.[0]);
  if (month < 0 || !date) return null;
  return dayOf(`${two(month + 1)}-${two(date)}`);
}

/** A drag ends on the first or last day of a month where it comes near. */
export function snappedDay(dayOfYear: number, isEnd: boolean): number {
  const near = 3;
  const clamped = Math.max(0, Math.min(DAYS_OF_YEAR - 1, Math.round(dayOfYear)));
  let first = 0;
  for (const days of MONTH_DAYS) {
    if (!isEnd && Math.abs(clamped - first) <= near) return first;
    if (isEnd && Math.abs(clamped - (first + days - 1)) <= near) return first + days - 1;
    first += days;
  }
  return clamped;
}

export function seasonOf(from: unknown, until: unknown): Season {
  if (!from && !until) return { is: 'always' };
  const [first, last] = [dayOf(from), dayOf(until)];
  const isDay = (text: unknown, at: number | null): boolean => !text || at !== null;
  if (isDay(from, first) && isDay(until, last))
    return { is: 'yearly', from: first ?? 0, until: last ?? DAYS_OF_YEAR - 1 };
  const isInstant = (text: unknown): boolean =>
    !text || (typeof text === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(msOf(text)));
  if (isInstant(from) && isInstant(until))
    return { is: 'once', from: (from as string) || null, until: (until as string) || null };
  return { is: 'unread' };
}

const instant = (text: string, zone: string): string => {
  const ms = msOf(text);
  return `${day(ms, zone)} ${clockShort(ms, zone)} ${zoneLetters(ms, zone)}`;
};

/** "1 May to 30 Sep, every year"; null where it cannot be read. */
export function seasonInWords(season: Season, zone: string): string | null {
  switch (season.is) {
    case 'always':
      return 'All year, every year';
    case 'yearly':
      return season.from === 0 && season.until === DAYS_OF_YEAR - 1
        ? 'All year, every year'
        : `${dayInWords(season.from)} to ${dayInWords(season.until)}, every year`;
    case 'once':
      return [
        season.from ? `from ${instant(season.from, zone)}` : null,
        season.until ? `until ${instant(season.until, zone)}` : null,
      ]
        .filter(Boolean)
        .join(' ')
        .replace(/^./, (letter) => letter.toUpperCase());
    case 'unread':
      return null;
  }
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const DAY_NAMES = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export type Hours =
  | { is: 'always' }
  /** Minutes of the day; from after until: past midnight. Null: all day. Which weekdays, none: all. */
  | { is: 'clock'; from: number | null; until: number | null; days: number[] }
  /** Sunset and the like: kept as they are written. */
  | { is: 'words'; text: string };

export const textOfMinute = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
export function minuteOf(text: string): number | null {
  const found = /^(\d{1,2}):(\d\d)$/.exec(text.trim());
  if (!found) return null;
  const minute = Number(found[1]) * 60 + Number(found[2]);
  return Number(found[2]) < 60 && minute <= 1440 ? minute : null;
}

export function hoursOf(value: unknown): Hours {
  if (value === undefined || value === null || value === '') return { is: 'always' };
  const text = String(value).trim();
  const made: Hours = { is: 'clock', from: null, until: null, days: [] };
  for (const term of text.toLowerCase().replace(/\s+/g, ' ').split(' and ')) {
    if (term === 'always') continue;
    const days = /^on (.+)$/.exec(term)?.[1]?.split(',');
    const ends = /^(?:from )?(\d{1,2}:\d\d) ?(?:to|-|–) ?(\d{1,2}:\d\d)$/.exec(term);
    if (days && !made.days.length) {
      made.days = days.map((name) => WEEKDAYS.findIndex((one) => name.trim().startsWith(one)));
      if (made.days.includes(-1)) return { is: 'words', text };
    } else if (ends && made.from === null) {
      [made.from, made.until] = [minuteOf(ends[1]!), minuteOf(ends[2]!)];
      if (made.from === null || made.until === null) return { is: 'words', text };
    } else return { is: 'words', text };
  }
  return made.from === null && !made.days.length ? { is: 'always' } : made;
}

/** As the map has it; undefined for all day, every day. */
export function textOfHours(hours: Hours): string | undefined {
  if (hours.is === 'always') return undefined;
  if (hours.is === 'words') return hours.text;
  const days = hours.days.length && hours.days.length < 7 ? [...hours.days].sort((a, b) => a - b) : [];
  const terms = [
    hours.from === null || hours.until === null
      ? null
      : `from ${textOfMinute(hours.from)} to ${textOfMinute(hours.until)}`,
    days.length ? `on ${days.map((one) => WEEKDAYS[one]).join(', ')}` : null,
  ].filter(Boolean);
  return terms.length ? terms.join(' and ') : undefined;
}

/** "10:00 to 18:00 on Sat and Sun" */
export function hoursInWords(hours: Hours): string {
  if (hours.is === 'always') return 'All day, every day';
  if (hours.is === 'words') return `As written: ${hours.text}`;
  const days = [...hours.days].sort((a, b) => a - b).map((one) => DAY_NAMES[one]!);
  const time =
    hours.from === null || hours.until === null
      ? 'All day'
      : `${textOfMinute(hours.from)} to ${textOfMinute(hours.until)}${hours.from > hours.until ? ' the next day' : ''}`;
  const on =
    !days.length || days.length === 7
      ? 'every day'
      : `on ${days.length === 1 ? days[0] : `${days.slice(0, -1).join(', ')} and ${days.at(-1)}`}`;
  return `${time}, ${on}`;
}
