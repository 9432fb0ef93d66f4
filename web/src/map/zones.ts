/** The map in force as the daemon derived it, made ready to be drawn: one water, labels with units, what holds now. */
import { signal } from '@preact/signals';
import type { Feature, FeatureCollection } from 'geojson';
import { ApiError, askFull } from '../api/client';
import type { Waterway } from '../api/types';
import { prefs, setPref } from '../store/prefs';
import { limitText, parseSpeed, type Units } from '../units';
import { boundsOf } from './ground';

export interface Zones {
  waterway: string;
  version: string | null;
  features: Feature[];
  byId: ReadonlyMap<string, Feature>;
  bounds: [number, number, number, number] | null;
}

export const zones = signal<Zones | null>(null);
/** Why there is none: 'none' (not published) or the daemon's words. */
export const zonesFault = signal<string | null>(null);

/** What the daemon marks an answer with: the map, and the rulebook that its strips follow. Null where there is no map. */
export const markOf = ({ map_version, rulebook_version }: Waterway['law']): string | null =>
  map_version && `${map_version}.${rulebook_version.slice(0, 8)}`;

/** Maps by address and mark, those that are still on their way as well. */
const kept = new Map<string, Promise<Zones>>();
/** Maps asked for before it was known which is in force. */
const ahead = new Map<string, Promise<Zones>>();

const pathOf = (waterway: string): string => `/waterways/${encodeURIComponent(waterway)}/map`;
const read = (waterway: string, path: string, cache?: RequestCache): Promise<Zones> =>
  askFull<FeatureCollection>(path, { cache }).then(({ body, etag }) => prepare(waterway, etag, body));

/**
 * Asks for the map of a waterway before the daemon has said which is in force: of the one shown last, so that nothing is
 * asked about water that is not there. The answer of that visit will do.
 */
export function zonesAhead(waterway: string): void {
  if (prefs.peek().last_waterway !== waterway) return;
  const coming = read(waterway, pathOf(waterway), 'force-cache');
  coming.catch(() => undefined);
  ahead.set(pathOf(waterway), coming);
}

/** Loads the map of a waterway; that of a mark is not asked for twice. */
export function loadZones(waterway: string, mark: string | null, path = pathOf(waterway)): Promise<Zones> {
  const key = `${path} ${mark}`;
  const before = mark ? kept.get(key) : undefined;
  if (before) return before;
  const early = ahead.get(path);
  ahead.delete(path);
  const again = (): Promise<Zones> => read(waterway, path);
  const coming = early ? early.then((made) => (made.version === `"${mark}"` ? made : again()), again) : again();
  if (mark) {
    kept.set(key, coming);
    coming.catch(() => kept.delete(key));
  }
  return coming;
}

/** The draft whose map is shown in place of the one in force. */
export const shownDraft = signal<string | null>(null);

/** What was shown last; an answer for another comes too late. */
let wanted = '';

/** Shows the map of a waterway: the one in force, or that of a draft. */
export async function showZones(waterway: string, mark: string | null, draft: string | null = null): Promise<void> {
  const mine = `${waterway} ${draft}`;
  wanted = mine;
  if (zones.peek()?.waterway !== waterway) zones.value = null;
  try {
    const made = draft
      ? await loadZones(waterway, null, `/drafts/${encodeURIComponent(draft)}/map`)
      : await loadZones(waterway, mark);
    if (wanted !== mine) return;
    zones.value = made;
    zonesFault.value = null;
    if (prefs.peek().last_waterway !== waterway) setPref({ last_waterway: waterway });
  } catch (cause) {
    if (wanted !== mine) return;
    zones.value = null;
    zonesFault.value = cause instanceof ApiError && cause.status === 404 ? 'none' : String((cause as Error).message);
  }
}

export const idOf = (feature: Feature): string | null => {
  const id = feature.id ?? (feature.properties?.id as string | undefined);
  return id === undefined || id === null ? null : String(id);
};

export function prepare(waterway: string, version: string | null, body: FeatureCollection): Zones {
  const hasWater = body.features.some((feature) => feature.properties?.derived === 'water');
  const byId = new Map<string, Feature>();
  const features = body.features
    .filter((feature) => feature.geometry)
    .map((feature, index) => {
      const properties: Record<string, unknown> = { ...feature.properties };
      const kind = String(properties.derived ?? properties.kind ?? '');
      if (kind === 'waterway' && !hasWater) properties.derived = 'water';
      if (properties.derived === undefined) properties.derived = '';
      const named = idOf(feature);
      if (named && !properties.derived) byId.set(named, { ...feature, properties });
      properties._id = named ?? `#${index}`;
      return { type: 'Feature' as const, id: index, geometry: feature.geometry, properties };
    });
  return { waterway, version, features, byId, bounds: boundsOf(features) };
}

/** Adds labels in the rulebook's units, and whether permits hold at `now`. */
export function labelled(zones_: Zones, units: Units, now: number): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: zones_.features.map((feature) => {
      const p = feature.properties ?? {};
      const label = labelOf(p, units);
      const holds =
        (!p.valid_from || instant(p.valid_from) <= now) && (!p.valid_until || now <= instant(p.valid_until));
      return { ...feature, properties: { ...p, _label: label, _holds: holds && p.in_force !== false } };
    }),
  };
}

/** A time of a zone; `MM-DD` of every year always holds here, the daemon knows better. */
function instant(text: unknown): number {
  const ms = Date.parse(String(text));
  return Number.isNaN(ms) ? 0 : ms;
}

function labelOf(p: Record<string, unknown>, units: Units): string {
  const name = typeof p.name === 'string' ? p.name : '';
  switch (p.derived || p.kind) {
    case 'speed_zone': {
      const mps = typeof p.limit_mps === 'number' ? p.limit_mps : parseSpeed(String(p.speed_limit ?? ''));
      const hours = typeof p.hours === 'string' ? p.hours : '24 h';
      return [name, mps === null ? '' : limitText(mps, units.speed), hours].filter(Boolean).join(' · ');
    }
    case 'permit_area':
      return p.permit ? `Permit ${String(p.permit)}` : name;
    case 'safety_buoy':
      return p.order === undefined || p.order === null ? '' : String(p.order);
    case 'dock':
      return name || String(p._id ?? '');
    default:
      return name;
  }
}
