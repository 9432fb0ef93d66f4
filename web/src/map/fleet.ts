/** Boats as map features: symbol, turn, size, name, halo. What is drawn is the last fix, never a guess. */
import type { Feature, Point } from 'geojson';
import type { GeoJSONSource, GeoJSONSourceDiff, Map as GlMap } from 'maplibre-gl';
import type { Finding } from '../api/types';
import { ageClass, ageOf, boats, isOverLimit, nameOf, type Age, type BoatNow } from '../store/boats';
import { needsSomeone } from '../store/store';
import { age, msOf } from '../time';
import { againstLimit, distanceText, mpsOf, speedIn, type Units } from '../units';
import { words } from '../words/en';
import { collection, feature } from './features';
import { boatSymbol, classOf, type BoatLook } from './symbols';

export type Halo = '' | 'halo-breach' | 'halo-possible' | 'halo-thin';

/** What the map shows of a boat's open findings; weak leads show nothing. */
export interface Standing {
  halo: Halo;
  plate: { text: string; isBreach: boolean; since: number } | null;
}

/** So many names at most, and none farther out than this. */
export const NAMES_MOST = 150;
export const NAMES_FROM = 14;

const CLEAR: Standing = { halo: '', plate: null };

export function standingOf(boat: BoatNow, findings: ReadonlyMap<string, Finding>, units: Units): Standing {
  const best = boat.open.length ? foremost(boat, findings) : null;
  if (!best) return CLEAR;
  if (!needsSomeone(best)) return { halo: best.state === 'dismissed' ? '' : 'halo-thin', plate: null };
  const isBreach = best.verdict === 'breach';
  return {
    halo: isBreach ? 'halo-breach' : 'halo-possible',
    plate: { text: plateText(best, boat, units), isBreach, since: msOf(best.start) },
  };
}

/** Of a boat's open findings the one that its halo and plate show; no weak lead. */
export function foremost(boat: BoatNow, findings: ReadonlyMap<string, Finding>): Finding | null {
  let best: Finding | null = null;
  for (const id of boat.open) {
    const finding = findings.get(id);
    if (!finding || finding.is_weak || finding.status !== 'open') continue;
    if (!best || rank(finding) > rank(best)) best = finding;
  }
  return best;
}

const rank = (finding: Finding): number => (needsSomeone(finding) ? 2 : 0) + (finding.verdict === 'breach' ? 1 : 0);

/** "! 12.4 / 5 mph" */
export const plateText = (finding: Finding, boat: BoatNow | null, units: Units): string =>
  `${finding.verdict === 'breach' ? '!' : '?'} ${numberOf(finding, boat, units)}`;

/** "12.4 / 5 mph": the number against its limit, at the fix that is drawn where it is a speed. */
export function numberOf(finding: Finding, boat: BoatNow | null, units: Units): string {
  const limit = finding.limit?.speed_mps;
  const speed = boat?.sog_mps ?? finding.peak.speed_mps;
  if (limit !== undefined && limit !== null && speed !== null && speed !== undefined)
    return againstLimit(speed, limit, units.speed);
  const room = finding.limit?.distance_m;
  const gap = finding.peak.distance_m;
  if (room && gap !== null && gap !== undefined)
    return `${distanceText(gap, units.distance, room)} / ${distanceText(room, units.distance)}`;
  return finding.title;
}

/** Priority of a name, 0 first: chosen, breach, possible, patrol, over the limit, towing, the rest. */
function namePriority(boat: BoatNow, halo: Halo, isChosen: boolean): number {
  if (isChosen) return 0;
  if (halo === 'halo-breach') return 1;
  if (halo === 'halo-possible') return 2;
  if (boat.class === 'patrol') return 3;
  if (isOverLimit(boat)) return 4;
  return boat.tow ? 5 : 6;
}

export interface FleetOptions {
  findings: ReadonlyMap<string, Finding>;
  units: Units;
  chosen: string | null;
  zoom: number;
  now: number;
  /** Over 300 boats: smaller symbols. */
  isCrowd: boolean;
  isIn(lon: number, lat: number): boolean;
}

/** A boat as it is drawn this time: looked at once, for its symbol, name, plate and tail. */
export interface Seen {
  boat: BoatNow;
  ageing: Age;
  standing: Standing;
  rank: number;
  isInView: boolean;
}

/** All boats that are on the map now; those lost for long are in the list alone. */
export function seen(options: FleetOptions): Seen[] {
  const list: Seen[] = [];
  for (const boat of boats.values()) {
    const ageing = ageClass(boat, options.now);
    if (ageing === 'gone') continue;
    const standing = standingOf(boat, options.findings, options.units);
    list.push({
      boat,
      ageing,
      standing,
      rank: namePriority(boat, standing.halo, boat.id === options.chosen),
      isInView: options.isIn(boat.lon, boat.lat),
    });
  }
  return list;
}

/** Boats in view, and those of them that have their name beside them. */
export interface FleetCount {
  inView: number;
  named: number;
}

/** One boat as a feature, its name apart (`name` '' : without). */
export function boatFeature(
  { boat, ageing, standing, rank }: Seen,
  options: FleetOptions,
  name: string,
): Feature<Point> {
  const kind = classOf(boat.class);
  const isResting = boat.state === 'at_rest' || boat.state === 'at_dock';
  const look: BoatLook =
    ageing === 'lost'
      ? 'lost'
      : ageing === 'stale'
        ? 'stale'
        : isResting
          ? 'rest'
          : boat.state === 'trolling'
            ? 'troll'
            : 'way';
  const turn = boat.heading_deg ?? boat.cog_deg;
  return {
    type: 'Feature',
    id: boat.id,
    geometry: { type: 'Point', coordinates: [boat.lon, boat.lat] },
    properties: {
      // With neither heading nor course no bow is drawn.
      symbol: boatSymbol(turn === null ? 'round' : kind, look, isResting ? Math.min(boat.step, 1) : boat.step),
      turn: turn ?? 0,
      size: boat.state === 'at_dock' ? 0.62 : options.isCrowd ? 0.7 : 1,
      /** Length in units of the symbol's 24 px at zoom 16. */
      long: (boat.length_m ?? 0) / (24 * ((78_271.517 * Math.cos((boat.lat * Math.PI) / 180)) / 2 ** 16)),
      name,
      rank,
      isPale: look === 'stale' || look === 'lost',
      halo: standing.halo,
      isRinged: standing.halo !== '' || boat.id === options.chosen,
      permit: boat.permits.length > 0,
      isTowing: !!boat.tow && (boat.cog_deg !== null || boat.heading_deg !== null),
      tow: boat.cog_deg ?? boat.heading_deg ?? 0,
    },
  };
}

/** The text beside a boat; '' below the zoom from which it has one. */
export function labelOf({ boat, ageing }: Seen, options: FleetOptions): string {
  const isChosen = boat.id === options.chosen;
  if (ageing === 'stale' || ageing === 'lost') {
    return options.zoom >= 13.5 || isChosen ? `${nameOf(boat)}\n${words.live.ago(age(ageOf(boat, options.now)))}` : '';
  }
  if (!isChosen && options.zoom < (boat.state === 'at_dock' ? 15.5 : NAMES_FROM)) return '';
  const isQuick = boat.sog_mps !== null && boat.sog_mps > mpsOf(8, 'mph') && boat.state === 'under_way';
  const quick = isQuick ? `  ${Math.round(speedIn(boat.sog_mps!, options.units.speed))} ${options.units.speed}` : '';
  const at = boat.state === 'trolling' ? ` (${words.live.trolling})` : '';
  return `${nameOf(boat)}${at}${quick}`;
}

/** Boats that may have a name: at most 150, those of priority first, only in view. The map leaves out what has no room. */
export function chooseNames(all: readonly Seen[]): Set<Seen> {
  const inView = all.filter((one) => one.isInView);
  const isCrowd = inView.length > 800;
  const wanted = (isCrowd ? inView.filter((one) => one.rank <= 5) : inView)
    .sort((a, b) => a.rank - b.rank || (nameOf(a.boat) < nameOf(b.boat) ? -1 : 1))
    .slice(0, NAMES_MOST);
  return new Set(wanted);
}

/** What tells a drawn boat from the same boat later. */
function shapeOf({ geometry, properties: p }: Feature<Point>): string {
  return `${geometry.coordinates[0]} ${geometry.coordinates[1]} ${p!.symbol} ${p!.turn} ${p!.size} ${p!.name} ${p!.rank} ${p!.halo} ${p!.permit} ${p!.isTowing} ${p!.tow}`;
}

const CELL_PX = 44;
const CLUSTER_LEAST = 3;
/** From this zoom on every boat is drawn by itself. */
export const CLUSTERS_BELOW = 13.5;

/** Far out, boats that need no one's eye are gathered into counted discs; nothing is left out silently. */
export function clustered(
  features: Feature<Point>[],
  zoom: number,
): { kept: Feature<Point>[]; clusters: Feature<Point>[] } {
  if (zoom >= CLUSTERS_BELOW) return { kept: features, clusters: [] };
  const kept: Feature<Point>[] = [];
  const cells = new Map<string, Feature<Point>[]>();
  for (const one of features) {
    if ((one.properties!.rank as number) < 6) {
      kept.push(one);
      continue;
    }
    const [lon, lat] = one.geometry.coordinates as [number, number];
    const cell_deg = (CELL_PX * 360) / (512 * 2 ** zoom);
    const key = `${Math.floor(lon / cell_deg)} ${Math.floor(lat / (cell_deg * Math.cos((lat * Math.PI) / 180)))}`;
    const cell = cells.get(key);
    if (cell) cell.push(one);
    else cells.set(key, [one]);
  }
  const clusters: Feature<Point>[] = [];
  for (const cell of cells.values()) {
    if (cell.length < CLUSTER_LEAST) {
      kept.push(...cell);
      continue;
    }
    const middle = [0, 1].map(
      (axis) => cell.reduce((sum, one) => sum + one.geometry.coordinates[axis]!, 0) / cell.length,
    );
    clusters.push(feature({ type: 'Point', coordinates: middle }, { count: cell.length }));
  }
  return { kept, clusters };
}

/** Keeps a source in step with the boats: a diff where few moved, the whole where most did (measured: 1.8 to 1). */
export class FleetSource {
  private drawn = new Map<string, string>();

  constructor(
    private readonly map: GlMap,
    private readonly source: string,
  ) {}

  draw(features: Feature<Point>[]): void {
    const there = this.map.getSource<GeoJSONSource>(this.source);
    if (!there) return;
    const next = new Map<string, string>();
    const changed: Feature<Point>[] = [];
    for (const feature of features) {
      const id = feature.id as string;
      const shape = shapeOf(feature);
      next.set(id, shape);
      if (this.drawn.get(id) !== shape) changed.push(feature);
    }
    const removed = [...this.drawn.keys()].filter((id) => !next.has(id));
    const isFirst = this.drawn.size === 0;
    if (!changed.length && !removed.length) return;
    this.drawn = next;
    if (isFirst || changed.length + removed.length > features.length / 2) {
      void there.setData(collection(features));
      return;
    }
    const diff: GeoJSONSourceDiff = { remove: removed, add: changed };
    void there.updateData(diff);
  }
}
