/** What is personal and stays in this browser: palette, units, sound, keys, layers. Never in a link. */
import { signal } from '@preact/signals';
import type { DistanceUnit, SpeedUnit } from '../api/types';
import type { Palette } from '../map/palette';

export interface Prefs {
  palette: Palette | 'auto';
  /** Where the last press of the palette button came from. */
  palette_from: Palette;
  is_red: boolean;
  is_full_sun: boolean;
  /** 40 to 100 %, in dusk and night. */
  dim: number;
  /** Units added to the rulebook's; null: none. */
  speed: SpeedUnit | null;
  distance: DistanceUnit | null;
  has_sound: boolean;
  has_keys: boolean;
  slows_at_findings: boolean;
  knows_zoom: boolean;
  last_reason: string;
  /** The day on which it was said last that looks at tracks are recorded. */
  told_recorded: string;
  views: { name: string; query: string }[];
  /** The water whose map was shown last. */
  last_waterway: string;
}

const PLACE = 'buoyline.prefs';
const first: Prefs = {
  palette: 'auto',
  palette_from: 'day',
  is_red: false,
  is_full_sun: false,
  dim: 100,
  speed: null,
  distance: null,
  has_sound: false,
  has_keys: true,
  slows_at_findings: true,
  knows_zoom: false,
  last_reason: '',
  told_recorded: '',
  views: [],
  last_waterway: '',
};

function read(): Prefs {
  try {
    return { ...first, ...(JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Prefs>) };
  } catch {
    return first;
  }
}

export const prefs = signal<Prefs>(read());

export function setPref(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  try {
    localStorage.setItem(PLACE, JSON.stringify(prefs.value));
  } catch {
    // A browser that keeps nothing: the choice holds until the page is left.
  }
}
