/** Tracks, gaps, fixes and the state at the cursor, on the map. Tracks are drawn once; the cursor moves a few features. */
import { effect } from '@preact/signals';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { nearestOn, ring } from '../map/ground';
import { rampColour } from '../map/livelayers';
import { colour, RAMP_WIDTH, type Palette } from '../map/palette';
import { BOLD, halo } from '../map/style';
import { boatSymbol, classOf } from '../map/symbols';
import type { MapHandle } from '../map/view';
import { zones } from '../map/zones';
import { units, waterway } from '../store/store';
import { distanceText } from '../units';
import { words } from '../words/en';
import {
  chartTrack,
  chosenIds,
  chosenOne,
  chosenTracks,
  cursor,
  followedId,
  hasRefused,
  review,
  tracks,
} from './state';
import type { Track } from './track';

const AROUND_MS = 5000;
const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

export function reviewLayers(palette: Palette): LayerSpecification[] {
  const c = (token: Parameters<typeof colour>[0]): string => colour(token, palette);
  return [
    {
      id: 'rv_ring',
      type: 'line',
      source: 'rv_rings',
      filter: ['==', ['get', 'kind'], 'governing'],
      paint: { 'line-color': c('limit'), 'line-width': 1.4 },
    },
    {
      id: 'rv_certain',
      type: 'line',
      source: 'rv_rings',
      filter: ['==', ['get', 'kind'], 'certain'],
      paint: { 'line-color': c('limit'), 'line-width': 1.2, 'line-dasharray': [1, 2] },
    },
    { id: 'rv_circle', type: 'fill', source: 'rv_circles', paint: { 'fill-color': c('r1'), 'fill-opacity': 0.12 } },
    { id: 'rv_circle_edge', type: 'line', source: 'rv_circles', paint: { 'line-color': c('r1'), 'line-width': 1 } },
    {
      id: 'rv_gap',
      type: 'line',
      source: 'rv_tracks',
      filter: ['==', ['get', 'kind'], 'gap'],
      paint: { 'line-color': c('stale'), 'line-width': 1.5, 'line-dasharray': [3, 3] },
    },
    {
      id: 'rv_track',
      type: 'line',
      source: 'rv_tracks',
      filter: ['==', ['get', 'kind'], 'track'],
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': rampColour(palette),
        'line-width': [
          'match',
          ['get', 'step'],
          ...RAMP_WIDTH.slice(1).flatMap((width, i) => [i + 1, width]),
          2,
        ] as never,
      },
    },
    {
      id: 'rv_fix',
      type: 'circle',
      source: 'rv_fixes',
      minzoom: 16.3,
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 15.5, 1.2, 17, 2, 19, 3.2],
        'circle-color': ['case', ['get', 'isDerived'], c('surface'), c('hull')],
        'circle-stroke-color': ['case', ['get', 'isDerived'], c('hull'), c('surface')],
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 15.5, 0.5, 18, 1.2],
      },
    },
    {
      id: 'rv_refused',
      type: 'symbol',
      source: 'rv_refused',
      layout: { 'icon-image': 'refused', 'icon-allow-overlap': true },
    },
    {
      id: 'rv_rope',
      type: 'line',
      source: 'rv_lines',
      filter: ['==', ['get', 'kind'], 'rope'],
      paint: { 'line-color': c('hull'), 'line-width': 1.4, 'line-dasharray': [3, 2] },
    },
    {
      id: 'rv_distance',
      type: 'line',
      source: 'rv_lines',
      filter: ['==', ['get', 'kind'], 'distance'],
      paint: { 'line-color': c('accent'), 'line-width': 1.6, 'line-dasharray': [2, 2] },
    },
    {
      id: 'rv_distance_text',
      type: 'symbol',
      source: 'rv_lines',
      filter: ['==', ['get', 'kind'], 'distance'],
      layout: {
        'symbol-placement': 'line-center',
        'text-field': ['get', 'text'],
        'text-font': BOLD,
        'text-size': 14,
        'text-allow-overlap': true,
        'text-rotation-alignment': 'viewport',
        'text-offset': [0, -0.9],
      },
      paint: halo('accent', palette),
    },
    {
      id: 'rv_skier',
      type: 'symbol',
      source: 'rv_now',
      filter: ['==', ['get', 'kind'], 'skier'],
      layout: {
        'icon-image': ['get', 'symbol'],
        'icon-allow-overlap': true,
        'text-field': ['get', 'text'],
        'text-font': BOLD,
        'text-size': 12,
        'text-offset': [0, 1.2],
        'text-anchor': 'top',
        'text-optional': true,
      },
      paint: halo('text', palette),
    },
    {
      id: 'rv_boat',
      type: 'symbol',
      source: 'rv_now',
      filter: ['==', ['get', 'kind'], 'boat'],
      layout: {
        'icon-image': ['get', 'symbol'],
        'icon-rotate': ['get', 'turn'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-size': ['get', 'size'],
        'text-field': ['get', 'text'],
        'text-font': BOLD,
        'text-size': 13,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 1.4,
        'text-optional': true,
      },
      paint: { ...halo('text', palette), 'icon-opacity': ['get', 'fade'] },
    },
  ];
}

export function showReview(handle: MapHandle): () => void {
  for (const source of ['rv_rings', 'rv_circles', 'rv_tracks', 'rv_fixes', 'rv_refused', 'rv_lines', 'rv_now'])
    handle.setData(source, EMPTY);
  handle.addLayers({ layers: reviewLayers });
  let frame = 0;
  const stops = [
    effect(() => {
      handle.setData('rv_tracks', collection(chosenTracks.value.flatMap(trackFeatures)));
      handle.setData('rv_fixes', collection(chosenTracks.value.flatMap(fixFeatures)));
    }),
    effect(() => {
      const refused = hasRefused.value
        ? (review.value?.vessels ?? []).filter((one) => chosenIds.value.includes(one.id)).flatMap((one) => one.refused)
        : [];
      handle.setData('rv_refused', collection(refused.map((one) => point(one.lon, one.lat, { reason: one.reason }))));
    }),
    effect(() => {
      void [cursor.value, tracks.value, chosenIds.value, chosenOne.value, zones.value, units.value];
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => drawNow(handle));
    }),
  ];
  return () => {
    cancelAnimationFrame(frame);
    for (const stop of stops) stop();
  };
}

const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });
const point = (lon: number, lat: number, properties: Record<string, unknown>): Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [lon, lat] },
  properties,
});

/** Runs of one colour, and dashed lines over gaps. */
function trackFeatures(track: Track): Feature[] {
  const { fixes, gaps } = track.vessel;
  const features: Feature[] = [];
  const isGap = (i: number): boolean =>
    gaps.some((gap) => gap.from_ms < fixes.t_ms[i]! && fixes.t_ms[i - 1]! < gap.to_ms);
  let run: number[][] = [];
  let step = -1;
  const end = (): void => {
    if (run.length > 1)
      features.push({
        type: 'Feature',
        geometry: { type: 'LineString', coordinates: run },
        properties: { kind: 'track', step },
      });
    run = [];
  };
  for (let i = 0; i < fixes.t_ms.length; i++) {
    const place = [fixes.lon[i]!, fixes.lat[i]!];
    if (i > 0 && isGap(i)) {
      end();
      features.push({
        type: 'Feature',
        geometry: { type: 'LineString', coordinates: [[fixes.lon[i - 1]!, fixes.lat[i - 1]!], place] },
        properties: { kind: 'gap' },
      });
    } else if (i > 0 && track.steps[i - 1] !== step) {
      end();
      run = [[fixes.lon[i - 1]!, fixes.lat[i - 1]!]];
    }
    step = track.steps[i > 0 && run.length ? i - 1 : i]!;
    run.push(place);
  }
  end();
  return features;
}

function fixFeatures(track: Track): Feature[] {
  const { fixes } = track.vessel;
  return fixes.t_ms.map((_, i) => point(fixes.lon[i]!, fixes.lat[i]!, { isDerived: fixes.is_derived[i] ?? false }));
}

function drawNow(handle: MapHandle): void {
  const at = cursor.value;
  const now: Feature[] = [];
  const circles: Feature[] = [];
  const lines: Feature[] = [];
  const rings: Feature[] = [];
  for (const track of tracks.value) {
    const known = track.at(at);
    if (!known) continue;
    const isChosen = chosenIds.value.includes(track.id);
    const kind = classOf(track.vessel.class);
    const skier = track.skierAt(at);
    now.push(
      point(known.lon, known.lat, {
        kind: 'boat',
        symbol: boatSymbol(known.cog_deg === null && kind !== 'unknown' ? 'unknown' : kind, 'way', known.step),
        turn: known.cog_deg ?? 0,
        text: isChosen ? `${track.letter}  ${track.name}${skier ? ` · ${words.live.towing}` : ''}` : '',
        fade: isChosen ? 1 : 0.55,
        size: isChosen ? 1 : 0.8,
      }),
    );
    if (skier) {
      now.push(
        point(skier.lon, skier.lat, {
          kind: 'skier',
          symbol: skier.isEstimated ? 'skier-estimated' : 'skier',
          text: isChosen ? (skier.isEstimated ? words.review.skierEstimated : words.review.skier) : '',
        }),
      );
      lines.push({
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates: [
            [known.lon, known.lat],
            [skier.lon, skier.lat],
          ],
        },
        properties: { kind: 'rope' },
      });
    }
    if (isChosen) circles.push(...accuracyCircles(track, at));
    if (track.id === chartTrack.value?.id) governing(track, at, lines, rings);
    if (followedId.value === track.id) handle.map.setCenter([known.lon, known.lat]);
  }
  handle.setData('rv_now', collection(now));
  handle.setData('rv_circles', collection(circles));
  handle.setData('rv_lines', collection(lines));
  handle.setData('rv_rings', collection(rings));
}

function accuracyCircles(track: Track, at: number): Feature[] {
  const { fixes } = track.vessel;
  const features: Feature[] = [];
  for (let i = track.indexAt(at - AROUND_MS) + 1; i < fixes.t_ms.length && track.time(i) <= at + AROUND_MS; i++) {
    const accuracy = fixes.accuracy_m[i];
    if (accuracy)
      features.push({ type: 'Feature', geometry: ring(fixes.lon[i]!, fixes.lat[i]!, accuracy), properties: {} });
  }
  return features;
}

/** 95 % of a two-dimensional error within this many times its 68 % radius (Rayleigh). */
const CERTAIN = 1.62;

/** The line to the feature that governs, with the daemon's distance, and the rings round the place it meets. */
function governing(track: Track, at: number, lines: Feature[], rings: Feature[]): void {
  const known = track.at(at);
  const strip = waterway.value?.limits.strip_m;
  if (!known) return;
  const finding = chosenOne.value;
  const other = finding?.other ? tracks.value.find((one) => one.id === finding.other)?.at(at) : null;
  if (other) {
    lines.push({
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [known.lon, known.lat],
          [other.lon, other.lat],
        ],
      },
      properties: { kind: 'distance', text: '' },
    });
    return;
  }
  const id = known.feature;
  const feature = id ? zones.value?.byId.get(id) : undefined;
  if (!feature || known.distance_m === null || !strip || known.distance_m > 4 * strip) return;
  const place = nearestOn(feature.geometry, [known.lon, known.lat]);
  if (!place) return;
  lines.push({
    type: 'Feature',
    geometry: { type: 'LineString', coordinates: [[known.lon, known.lat], place] },
    properties: { kind: 'distance', text: distanceText(known.distance_m, units.value.distance, strip) },
  });
  rings.push({ type: 'Feature', geometry: ring(place[0]!, place[1]!, strip), properties: { kind: 'governing' } });
  const certain = strip - CERTAIN * (known.accuracy_m ?? 0);
  if (known.accuracy_m && certain > 0)
    rings.push({ type: 'Feature', geometry: ring(place[0]!, place[1]!, certain), properties: { kind: 'certain' } });
}
