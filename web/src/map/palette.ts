/** The three palettes as one table. Every colour of the console and of the map comes from here. */
import { signal, computed } from '@preact/signals';
import type { Sun } from '../api/types';
import { msOf } from '../time';
import { minuteNow } from '../store/clock';
import { prefs, setPref } from '../store/prefs';

export type Palette = 'day' | 'dusk' | 'night';

const TABLE = {
  // token:       [day,      dusk,      night]
  surface: ['#FFFFFF', '#16222B', '#0E0A08'],
  surface2: ['#F2F5F6', '#1E2C36', '#171110'],
  text: ['#0F1F29', '#E8EEF1', '#CB8C5C'],
  text2: ['#445560', '#A9B8C1', '#AC7552'],
  border: ['#77868F', '#74858F', '#85583F'],
  hair: ['#D4DCE0', '#2C3C47', '#2A1C16'],
  accent: ['#0A5AA6', '#7CC0FF', '#CB8C2E'],
  on_accent: ['#FFFFFF', '#08151E', '#120B06'],
  breach: ['#B3123F', '#FF8CA4', '#EE6E48'],
  breach_bg: ['#FDEDF1', '#3B1F28', '#26100C'],
  on_breach: ['#FFFFFF', '#2B0310', '#120504'],
  possible: ['#5B3BA8', '#BCA6FF', '#A8783C'],
  possible_bg: ['#F4F1FB', '#2A2640', '#17120B'],
  ok: ['#16694A', '#63CFA2', '#8C8A3A'],
  warn: ['#7A5200', '#F2BE5C', '#C98A2E'],
  warn_bg: ['#FFF4D6', '#3A2F16', '#241A0A'],
  hull: ['#12222C', '#E8EEF1', '#C9885A'],
  water: ['#CDE2EE', '#1B3445', '#0A0B0B'],
  strip: ['#E2DAC4', '#313E41', '#191309'],
  inshore: ['#E3E6D6', '#2A3A30', '#17130C'],
  swim_fill: ['#BCD9DA', '#1F4750', '#13170F'],
  land: ['#F1ECDF', '#302F29', '#1F1812'],
  shore: ['#255A73', '#8FB6CB', '#8A6A4A'],
  limit: ['#9C5400', '#DDA04A', '#A06A22'],
  dock: ['#4A3B2A', '#D9C7AB', '#8C6A48'],
  swim: ['#00695C', '#5FD0BE', '#7A8040'],
  permit: ['#8A1F8F', '#E58CF0', '#A85A44'],
  circ: ['#3F6478', '#9CC0D3', '#8A6A4A'],
  select: ['#0A5AA6', '#7CC0FF', '#D99A3A'],
  stale: ['#5F6D76', '#93A3AD', '#876047'],
  r1: ['#1B69A6', '#5AA3DB', '#75713F'],
  r2: ['#4A5A64', '#849AAA', '#8F6848'],
  r3: ['#A66200', '#E3A23A', '#B27A22'],
  r4: ['#B3123F', '#FF8CA4', '#EE6E48'],
  r5: ['#4F0A22', '#FFE6EA', '#FF9C6A'],
} as const satisfies Record<string, readonly [string, string, string]>;

export type Token = keyof typeof TABLE;
const COLUMN: Record<Palette, 0 | 1 | 2> = { day: 0, dusk: 1, night: 2 };

export const colour = (token: Token, palette: Palette): string => TABLE[token][COLUMN[palette]];

/** Tokens of the speed ramp; 0 (no limit or unknown speed) is [stale]. */
export const RAMP: readonly Token[] = ['stale', 'r1', 'r2', 'r3', 'r4', 'r5'];
/** Width of a track in px, by step of the ramp. */
export const RAMP_WIDTH: readonly number[] = [2, 3, 3, 4, 5, 6.5];

/** The sun at the waterway on screen; null until known. */
export const sunThere = signal<Sun | null>(null);

const HALF_HOUR = 30 * 60_000;
const A_DAY = 24 * 3600_000;

/** Day until sunset, dusk to half an hour after, night to half an hour before sunrise, dusk to sunrise. */
export function paletteBySun(now: number, sun: Sun): Palette {
  let sunset = msOf(sun.sunset);
  let sunrise = msOf(sun.sunrise);
  if (Number.isNaN(sunset) || Number.isNaN(sunrise)) return 'day';
  // The night around or after `now`: the first sunrise that is still to come, and the sunset before it.
  while (sunrise <= now) sunrise += A_DAY;
  while (sunrise - A_DAY > now) sunrise -= A_DAY;
  while (sunset >= sunrise) sunset -= A_DAY;
  while (sunset + A_DAY < sunrise) sunset += A_DAY;
  if (now < sunset) return 'day';
  if (now < sunset + HALF_HOUR || now >= sunrise - HALF_HOUR) return 'dusk';
  return 'night';
}

export const palette = computed<Palette>(() => {
  const chosen = prefs.value.palette;
  if (chosen !== 'auto') return chosen;
  return sunThere.value ? paletteBySun(minuteNow.value, sunThere.value) : 'day';
});

/** The button: day > dusk > night > dusk > day, so that no press at night lands on day. */
export function stepPalette(): void {
  const now = palette.value;
  const isComingBack = prefs.value.palette_from === 'night';
  if (now === 'day') setPref({ palette: 'dusk', palette_from: 'day' });
  else if (now === 'night') setPref({ palette: 'dusk', palette_from: 'night' });
  else setPref(isComingBack ? { palette: 'day' } : { palette: 'night' });
}

/** Writes the palette into the page's custom properties (CSSOM, as the content policy allows no inline style). */
export function applyPalette(name: Palette): void {
  const root = document.documentElement;
  root.dataset.palette = name;
  root.style.setProperty('color-scheme', name === 'day' ? 'light' : 'dark');
  for (const token of Object.keys(TABLE) as Token[]) {
    root.style.setProperty(`--${token.replace('_', '-')}`, colour(token, name));
  }
}
