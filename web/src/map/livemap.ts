/** Joins the store to the map of Live: draws what changed, and finds what was touched. */
import { effect } from '@preact/signals';
import type { Feature, Point } from 'geojson';
import type { Map as GlMap } from 'maplibre-gl';
import type { Finding, Mark } from '../api/types';
import { ageClass, boatCount, boats, onBoats, type BoatNow } from '../store/boats';
import { minuteNow, now, secondNow } from '../store/clock';
import { chosenBoat, chosenFinding, findings, followed, marks, units, waterway } from '../store/store';
import { msOf, span } from '../time';
import { words } from '../words/en';
import { collection, pointOf } from './features';
import {
  boatFeature,
  chooseNames,
  clustered,
  FleetSource,
  labelOf,
  NAMES_FROM,
  NAMES_MOST,
  seen,
  type FleetCount,
  type FleetOptions,
  type Seen,
} from './fleet';
import { boundsOf, placeIn, worldPx } from './ground';
import { liveLayers, LIVE_SOURCES, PLATE_TEXT_PX } from './livelayers';
import { PLACES, PLATE, PlateBoard, type Box, type Plate, type PlateView, type PlateWish } from './plates';
import { textWidths } from './ink';
import { leaderSymbol } from './symbols';
import { fitAll, type MapHandle } from './view';
import { zonesFault } from './zones';
import { ringed, rings, tailed, tails, tows } from './wakes';

/** Drawing comes at most five times a second, and takes no more than a tenth of the time, down to once a second. */
const LEAST_MS = 200;
const MOST_MS = 1000;
const SHARE = 10;
/** Below these zooms the layers of tails and of rings show nothing. */
const TAILS_FROM = 12;
const RINGS_FROM = 14;
/** Names are counted once in so long. */
const COUNT_MS = 1000;
/** Findings that ended stay as pins for a day. */
const PINS_MS = 24 * 3600_000;

/** Plates as they stand on a map, to be touched. */
const plated = new WeakMap<GlMap, readonly Plate[]>();

/** `hasView`: what is in view at first was asked for. */
export function showLive(handle: MapHandle, onCount: (count: FleetCount | null) => void, hasView: boolean): () => void {
  const { map } = handle;
  for (const source of LIVE_SOURCES) handle.setData(source, collection());
  handle.addLayers({ layers: liveLayers });
  const fleet = new FleetSource(map, 'boats');
  const board = new PlateBoard({ counted: countedText, widthOf: textWidths(PLATE_TEXT_PX) });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnAt = -MOST_MS;
  let pause = LEAST_MS;
  let counted = '';

  const told = new Map<string, string>();
  /** A source is told only when `key`, which stands for all that is drawn in it, has changed. */
  const tell = (source: string, key: string, make: () => Feature[]): void => {
    if (told.get(source) === key) return;
    told.set(source, key);
    handle.setData(source, collection(make()));
  };
  let countedAt = 0;
  /** Says how many of the boats in view have a name, by what the map has placed; nothing where names are not due. */
  const count = (inView: number): void => {
    if (performance.now() - countedAt < COUNT_MS) return;
    countedAt = performance.now();
    const areDue = map.getZoom() >= NAMES_FROM || inView > NAMES_MOST;
    const placed = areDue ? map.queryRenderedFeatures({ layers: ['names'] }) : [];
    const named = Math.min(inView, new Set(placed.map((one) => one.properties.name)).size);
    if (counted === `${areDue} ${inView} ${named}`) return;
    counted = `${areDue} ${inView} ${named}`;
    onCount(areDue ? { inView, named } : null);
  };
  const draw = (): void => {
    timer = undefined;
    drawnAt = performance.now();
    const bounds = map.getBounds();
    // A little more than the screen, for names of boats that come in.
    const [west, east] = [bounds.getWest() - 0.002, bounds.getEast() + 0.002];
    const [south, north] = [bounds.getSouth() - 0.002, bounds.getNorth() + 0.002];
    const options: FleetOptions = {
      findings: findings.value,
      units: units.value,
      chosen: chosenBoat.value,
      zoom: map.getZoom(),
      now: now(),
      isCrowd: boats.size > 300,
      isIn: (lon, lat) => west <= lon && lon <= east && south <= lat && lat <= north,
    };
    const all = seen(options);
    const wanted = chooseNames(all);
    const { kept, clusters } = clustered(
      all.map((one) => boatFeature(one, options, wanted.has(one) ? labelOf(one, options) : '')),
      options.zoom,
    );
    fleet.draw(kept);
    tell('clusters', clusters.map(placeKey).join(), () => clusters);
    const wishes = wishesOf(all, options);
    const plates = board.place(wishes, options.zoom, wishes.length ? viewOf(map) : null);
    plated.set(map, plates);
    const signs = plates.map(plateFeature);
    tell(
      'plates',
      signs.map(({ geometry, properties }) => `${geometry.coordinates} ${JSON.stringify(properties)}`).join(),
      () => signs,
    );
    const tailing = options.zoom < TAILS_FROM ? [] : tailed(all, options.chosen);
    tell('tails', tailing.map(({ boat, ageing }) => `${boat.id} ${boat.t_ms} ${ageing}`).join(), () => tails(tailing));
    const towing = all.filter(({ boat }) => boat.tow?.skier);
    tell('tows', towing.map(({ boat }) => `${boat.id} ${boat.t_ms}`).join(), () => tows(towing));
    const strip_m = waterway.value?.limits.strip_m;
    const ringing = strip_m && options.zoom >= RINGS_FROM ? ringed(all, marks.value) : [];
    tell('rings', `${strip_m} ${ringing.map(({ lon, lat }) => `${lon} ${lat}`).join()}`, () =>
      rings(ringing, strip_m!),
    );
    const chosen = options.chosen ? boats.get(options.chosen) : undefined;
    tell('chosen', chosen ? `${chosen.lon} ${chosen.lat}` : '', () => (chosen ? [pointOf(chosen)] : []));
    if (chosen && followed.value === chosen.id) map.easeTo({ center: [chosen.lon, chosen.lat], duration: 300 });
    count(all.filter(({ boat }) => bounds.contains([boat.lon, boat.lat])).length);
    pause = Math.max(LEAST_MS, Math.min(MOST_MS, SHARE * (performance.now() - drawnAt)));
  };
  const ask = (): void => {
    timer ??= setTimeout(draw, Math.max(0, pause - (performance.now() - drawnAt)));
  };

  // With no published map it is the boats that say where to look, once.
  const findBoats = (): void => {
    if (hasView || zonesFault.value !== 'none' || !boatCount.value) return;
    hasView = true;
    const bounds = boundsOf([...boats.values()].map((boat) => pointOf(boat)));
    if (bounds) fitAll(map, bounds, false);
  };

  const stops = [
    effect(findBoats),
    onBoats(ask),
    effect(() => {
      void [findings.value, chosenBoat.value, units.value, marks.value, waterway.value];
      ask();
    }),
    // Boats age without a message.
    effect(() => {
      if (secondNow.value && performance.now() - drawnAt > 900) ask();
    }),
    effect(() => {
      const list = markFeatures(marks.value, secondNow.value);
      tell('marks', list.map((one) => `${placeKey(one)} ${one.id} ${one.properties!.label}`).join(), () => list);
    }),
    effect(() => handle.setData('pins', collection(pinFeatures(findings.value, minuteNow.value, chosenFinding.value)))),
  ];
  map.on('moveend', ask);
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    plated.delete(map);
    map.off('moveend', ask);
  };
}

const placeKey = (feature: Feature): string => (feature.geometry as Point).coordinates.join(' ');

function countedText(all: readonly PlateWish[]): string {
  const breaches = all.filter((one) => one.isBreach).length;
  return words.live.findingsHere(breaches, all.length - breaches);
}

/** Boats that should have a plate, in px of the whole world. */
function wishesOf(all: readonly Seen[], { zoom, chosen }: FleetOptions): PlateWish[] {
  const world = worldPx(zoom);
  return all.flatMap(({ boat: { id, lon, lat }, standing: { plate } }) =>
    plate ? [{ id, ...placeIn(world, lon, lat), ...plate, isChosen: id === chosen }] : [],
  );
}

/** What is to be seen of the map, in px of the whole world: less what lies over it. */
function viewOf(map: GlMap): PlateView {
  const frame = map.getContainer().getBoundingClientRect();
  const { lng, lat } = map.getCenter();
  const middle = placeIn(worldPx(map.getZoom()), lng, lat);
  const [x, y] = [middle.x - frame.width / 2 - frame.left, middle.y - frame.height / 2 - frame.top];
  const boxOf = ({ left, top, right, bottom }: DOMRect): Box => ({
    left: x + left,
    top: y + top,
    right: x + right,
    bottom: y + bottom,
  });
  const over = map.getContainer().parentElement?.querySelectorAll('.map-top > *, .map-right > *, .map-bottom > *');
  return { ...boxOf(frame), covered: [...(over ?? [])].map((one) => boxOf(one.getBoundingClientRect())) };
}

function plateFeature({ id, text, isBreach, place, isLed }: Plate): Feature<Point> {
  return pointOf(boats.get(id)!, {
    text,
    isBreach,
    symbol: isBreach ? 'plate-breach' : 'plate-possible',
    rank: isBreach ? 1 : 0,
    anchor: place.anchor,
    shift: [place.dx / PLATE_TEXT_PX, place.dy / PLATE_TEXT_PX],
    leader: isLed ? leaderSymbol(isBreach ? 'breach' : 'possible', PLACES.indexOf(place)) : '',
  });
}

function markFeatures(list: readonly Mark[], at: number): Feature[] {
  return list.flatMap(({ id, kind, lat, lon, until }) => {
    if (lat === null || lon === null) return [];
    const isFlag = kind === 'dive_flag';
    const properties = {
      id,
      symbol: kind,
      anchor: isFlag ? 'bottom-left' : 'center',
      shift: isFlag ? [-6, 0] : [0, 0],
      label: until ? words.actions.left(span((msOf(until) - at) / 1000)) : '',
    };
    return [{ ...pointOf({ lon, lat }, properties), id }];
  });
}

function pinFeatures(list: ReadonlyMap<string, Finding>, at: number, chosen: string | null): Feature[] {
  const features: Feature[] = [];
  for (const finding of list.values()) {
    if (finding.status !== 'closed' || finding.is_weak || at - msOf(finding.start) > PINS_MS) continue;
    if (finding.state === 'dismissed' && finding.id !== chosen) continue;
    features.push(
      pointOf(finding.peak, {
        symbol: `pin-${finding.verdict}`,
        fade: finding.state === 'new' || finding.id === chosen ? 1 : 0.55,
        id: finding.id,
      }),
    );
  }
  return features;
}

export interface Touched {
  /** Nearest first; of a plate, those whose findings it stands for. */
  boats: BoatNow[];
  isPlate: boolean;
  finding: string | null;
}

/** What is within `reach` px of a place on the map: a plate under it, else boats, else a plate or a finding nearby. */
export function touched(handle: MapHandle, x: number, y: number, reach: number): Touched {
  const { map } = handle;
  const under = plateAt(handle, x, y, reach);
  const ofPlate = under && under.gap === 0 ? under.boats : [];
  if (ofPlate.length) return { boats: ofPlate, isPlate: true, finding: null };
  const near: { boat: BoatNow; gap: number }[] = [];
  const at = now();
  for (const boat of boats.values()) {
    if (ageClass(boat, at) === 'gone') continue;
    const place = map.project([boat.lon, boat.lat]);
    const gap = Math.hypot(place.x - x, place.y - y);
    if (gap <= reach) near.push({ boat, gap });
  }
  near.sort((a, b) => a.gap - b.gap);
  if (near.length) return { boats: near.map((one) => one.boat), isPlate: false, finding: null };
  if (under) return { boats: under.boats, isPlate: true, finding: null };
  const pin =
    map.getLayer('pins') &&
    map.queryRenderedFeatures(
      [
        [x - 12, y - 12],
        [x + 12, y + 12],
      ],
      { layers: ['pins'] },
    )[0];
  return { boats: [], isPlate: false, finding: pin ? String(pin.properties.id) : null };
}

/** The nearest plate within `reach` px, with the boats it stands for. */
function plateAt({ map }: MapHandle, x: number, y: number, reach: number): { boats: BoatNow[]; gap: number } | null {
  let best: { boats: BoatNow[]; gap: number } | null = null;
  for (const { id, ids, left, top, width } of plated.get(map) ?? []) {
    const first = boats.get(id);
    if (!first) continue;
    const place = map.project([first.lon, first.lat]);
    const beside = (at: number, from: number, to: number): number => Math.max(from - at, 0, at - to);
    const gap = Math.hypot(
      beside(x, place.x + left, place.x + left + width),
      beside(y, place.y + top, place.y + top + PLATE.height_px),
    );
    if (gap > reach || (best && best.gap <= gap)) continue;
    best = { gap, boats: ids.flatMap((one) => boats.get(one) ?? []) };
  }
  return best;
}
