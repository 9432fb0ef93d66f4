/** Joins the store to the map of Live: draws what changed, at most five times a second, and finds what was touched. */
import { effect } from '@preact/signals';
import type { Feature, FeatureCollection, Point } from 'geojson';
import type { Finding, Mark } from '../api/types';
import { ageClass, boats, onBoats, type BoatNow } from '../store/boats';
import { now, secondNow } from '../store/clock';
import { chosenBoat, chosenFinding, findings, followed, marks, units, waterway } from '../store/store';
import { msOf, span } from '../time';
import { words } from '../words/en';
import {
  boatFeature,
  chooseNames,
  clustered,
  FleetSource,
  labelOf,
  standingOf,
  type FleetCount,
  type FleetOptions,
} from './fleet';
import { liveLayers, LIVE_SOURCES } from './livelayers';
import type { MapHandle } from './view';
import { rings, tails, tows } from './wakes';

const LEAST_MS = 200;
/** Findings that ended stay as pins for a day. */
const PINS_MS = 24 * 3600_000;
const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

export function showLive(handle: MapHandle, onCount: (count: FleetCount) => void): () => void {
  const { map } = handle;
  for (const source of LIVE_SOURCES) handle.setData(source, EMPTY);
  handle.addLayers({ layers: liveLayers });
  const fleet = new FleetSource(map, 'boats');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnAt = 0;
  let names: Set<string> = new Set();
  let namesAt = 0;
  let hadClusters = false;

  const told = new Map<string, string>();
  /** Small sources are told only of changes. */
  const setIfAny = (source: string, features: Feature[]): void => {
    const text = JSON.stringify(features);
    if (told.get(source) === text) return;
    told.set(source, text);
    handle.setData(source, collection(features));
  };
  const draw = (): void => {
    timer = undefined;
    drawnAt = performance.now();
    const bounds = map.getBounds();
    const isIn = (lon: number, lat: number): boolean =>
      lon >= bounds.getWest() - 0.002 &&
      lon <= bounds.getEast() + 0.002 &&
      lat >= bounds.getSouth() - 0.002 &&
      lat <= bounds.getNorth() + 0.002;
    const at = now();
    const options: FleetOptions = {
      findings: findings.value,
      units: units.value,
      chosen: chosenBoat.value,
      zoom: map.getZoom(),
      now: at,
      isCrowd: boats.size > 300,
      isIn,
    };
    if (drawnAt - namesAt > 900) {
      const chosen = chooseNames(options);
      names = chosen.ids;
      namesAt = drawnAt;
      onCount(chosen.count);
    }
    const features: Feature<Point>[] = [];
    const plates: Feature[] = [];
    for (const boat of boats.values()) {
      if (ageClass(boat, at) === 'gone') continue;
      features.push(boatFeature(boat, options, names.has(boat.id) ? labelOf(boat, options) : ''));
      const { plate } = standingOf(boat, options.findings, options.units);
      if (plate) plates.push(plateFeature(boat, plate));
    }
    const { kept, clusters } = clustered(features, options.zoom);
    fleet.draw(kept);
    if (clusters.length || hadClusters) handle.setData('clusters', collection(clusters));
    hadClusters = clusters.length > 0;
    setIfAny('plates', plates);
    handle.setData('tails', tails(isIn, at, chosenBoat.value));
    setIfAny('tows', tows().features);
    setIfAny('rings', rings(marks.value, waterway.value?.limits.strip_m ?? null, at).features);
    const chosen = chosenBoat.value ? boats.get(chosenBoat.value) : undefined;
    setIfAny(
      'chosen',
      chosen
        ? [{ type: 'Feature', geometry: { type: 'Point', coordinates: [chosen.lon, chosen.lat] }, properties: {} }]
        : [],
    );
    if (chosen && followed.value === chosen.id) map.easeTo({ center: [chosen.lon, chosen.lat], duration: 300 });
  };
  const ask = (): void => {
    timer ??= setTimeout(draw, Math.max(0, LEAST_MS - (performance.now() - drawnAt)));
  };
  const askNames = (): void => {
    namesAt = 0;
    ask();
  };

  const stops = [
    onBoats(ask),
    effect(() => {
      void [findings.value, chosenBoat.value, units.value, marks.value, waterway.value];
      askNames();
    }),
    // Boats age without a message.
    effect(() => {
      if (secondNow.value && performance.now() - drawnAt > 900) ask();
    }),
    effect(() => handle.setData('marks', markFeatures(marks.value, secondNow.value))),
    effect(() =>
      handle.setData(
        'pins',
        pinFeatures(findings.value, Math.floor(secondNow.value / 60_000) * 60_000, chosenFinding.value),
      ),
    ),
  ];
  map.on('moveend', askNames);
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    map.off('moveend', askNames);
  };
}

const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });

const plateFeature = (boat: BoatNow, plate: { text: string; isBreach: boolean }): Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [boat.lon, boat.lat] },
  properties: {
    text: plate.text,
    isBreach: plate.isBreach,
    symbol: plate.isBreach ? 'plate-breach' : 'plate-possible',
    rank: plate.isBreach ? 1 : 0,
  },
});

function markFeatures(list: readonly Mark[], at: number): FeatureCollection {
  return collection(
    list.flatMap((mark) => {
      if (mark.lat === null || mark.lon === null) return [];
      const left = mark.until ? (msOf(mark.until) - at) / 1000 : null;
      const isFlag = mark.kind === 'dive_flag';
      return [
        {
          type: 'Feature' as const,
          geometry: { type: 'Point' as const, coordinates: [mark.lon, mark.lat] },
          properties: {
            id: mark.id,
            symbol: mark.kind,
            anchor: isFlag ? 'bottom-left' : 'center',
            shift: isFlag ? [-6, 0] : [0, 0],
            label: left === null ? '' : words.actions.left(span(left)),
          },
        },
      ];
    }),
  );
}

function pinFeatures(list: ReadonlyMap<string, Finding>, at: number, chosen: string | null): FeatureCollection {
  const features: Feature[] = [];
  for (const finding of list.values()) {
    if (finding.status !== 'closed' || finding.is_weak || at - msOf(finding.start) > PINS_MS) continue;
    if (finding.state === 'dismissed' && finding.id !== chosen) continue;
    features.push({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [finding.peak.lon, finding.peak.lat] },
      properties: {
        symbol: `pin-${finding.verdict}`,
        fade: finding.state === 'new' || finding.id === chosen ? 1 : 0.55,
        id: finding.id,
      },
    });
  }
  return collection(features);
}

export interface Touched {
  boats: BoatNow[];
  finding: string | null;
}

/** What is within `reach` px of a place on the map, nearest boat first. */
export function touched(handle: MapHandle, x: number, y: number, reach: number): Touched {
  const { map } = handle;
  const near: { boat: BoatNow; gap: number }[] = [];
  const at = now();
  for (const boat of boats.values()) {
    if (ageClass(boat, at) === 'gone') continue;
    const place = map.project([boat.lon, boat.lat]);
    const gap = Math.hypot(place.x - x, place.y - y);
    if (gap <= reach) near.push({ boat, gap });
  }
  near.sort((a, b) => a.gap - b.gap);
  const pin = near.length
    ? undefined
    : map.getLayer('pins') &&
      map.queryRenderedFeatures(
        [
          [x - 12, y - 12],
          [x + 12, y + 12],
        ],
        { layers: ['pins'] },
      )[0];
  return { boats: near.map((one) => one.boat), finding: pin ? String(pin.properties.id) : null };
}
