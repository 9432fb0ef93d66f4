/** Tracks, gaps, fixes and the state at the cursor, on the map. Tracks are drawn once; the cursor moves a few features. */
import { effect } from '@preact/signals';
import type { Feature, Position } from 'geojson';
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { collection, feature, lineOf, pointOf } from '../map/features';
import { bearing, distance, nearestOn, placeIn, ring, worldPx } from '../map/ground';
import { textWidths } from '../map/ink';
import { always, area, halo, line, sign, text, type Where } from '../map/layer';
import { rampColour } from '../map/livelayers';
import { colour, RAMP_WIDTH, type Palette, type Token } from '../map/palette';
import { LABEL, PLACES, PlateBoard, type PlateWish } from '../map/plates';
import { boatSymbol, classOf, leaderSymbol } from '../map/symbols';
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
import { differences, KIND } from './comparison';
import type { Known, Track } from './track';

const AROUND_MS = 5000;
const NAME_PX = 13;
const SOURCES = ['rv_rings', 'rv_circles', 'rv_tracks', 'rv_fixes', 'rv_refused', 'rv_lines', 'rv_compared', 'rv_now'];

export function reviewLayers(palette: Palette): LayerSpecification[] {
  const c = (token: Token): string => colour(token, palette);
  const of = (source: string, kind: string): Where => ({ source, filter: ['==', ['get', 'kind'], kind] });
  const width: ExpressionSpecification = [
    'match',
    ['get', 'step'],
    ...RAMP_WIDTH.slice(1).flatMap((one, i) => [i + 1, one]),
    2,
  ] as unknown as ExpressionSpecification;
  const track = line('rv_track', of('rv_tracks', 'track'), rampColour(palette), width);
  return [
    line('rv_ring', of('rv_rings', 'governing'), c('limit'), 1.4),
    line('rv_certain', of('rv_rings', 'certain'), c('limit'), 1.2, [1, 2]),
    area('rv_circle', { source: 'rv_circles' }, c('r1'), 0.12),
    line('rv_circle_edge', { source: 'rv_circles' }, c('r1'), 1),
    line('rv_gap', of('rv_tracks', 'gap'), c('stale'), 1.5, [3, 3]),
    { ...track, layout: { ...track.layout, 'line-cap': 'round' } },
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
    sign('rv_refused', { source: 'rv_refused' }, { 'icon-image': 'refused', 'icon-allow-overlap': true }),
    line('rv_rope', of('rv_lines', 'rope'), c('hull'), 1.4, [3, 2]),
    line('rv_distance', of('rv_lines', 'distance'), c('accent'), 1.6, [2, 2]),
    sign(
      'rv_distance_text',
      of('rv_now', 'distance'),
      {
        ...text('text', 14),
        // At the far end of the line, away from the boat.
        'text-anchor': ['get', 'anchor'],
        'text-radial-offset': 0.5,
        'text-allow-overlap': true,
      },
      halo('accent', palette),
    ),
    sign('rv_compared', { source: 'rv_compared' }, { 'icon-image': ['get', 'symbol'], 'icon-allow-overlap': true }),
    sign(
      'rv_skier',
      of('rv_now', 'skier'),
      {
        'icon-image': ['get', 'symbol'],
        'icon-allow-overlap': true,
        ...text('text', 12),
        'text-offset': [0, 1.2],
        'text-anchor': 'top',
        'text-optional': true,
      },
      halo('text', palette),
    ),
    sign(
      'rv_leader',
      { source: 'rv_now', filter: ['has', 'leader'] },
      { ...always, 'icon-image': ['get', 'leader'], 'icon-size': LABEL.scale },
    ),
    sign(
      'rv_boat',
      of('rv_now', 'boat'),
      {
        'icon-image': ['get', 'symbol'],
        'icon-rotate': ['get', 'turn'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-size': ['get', 'size'],
      },
      { 'icon-opacity': ['get', 'fade'] },
    ),
    sign(
      'rv_name',
      of('rv_now', 'name'),
      {
        ...text('text', NAME_PX),
        'text-max-width': 40,
        'text-anchor': ['get', 'anchor'],
        'text-offset': ['array', 'number', 2, ['get', 'shift']],
        // Placed so that none covers another.
        'text-allow-overlap': true,
      },
      halo('text', palette),
    ),
  ];
}

export function showReview(handle: MapHandle): () => void {
  for (const source of SOURCES) handle.setData(source, collection());
  handle.addLayers({ layers: reviewLayers });
  let frame = 0;
  /** Sources that have something in them now. */
  const filled = new Set<string>();
  // Boats close to one another share one name: that of their letters.
  const board = new PlateBoard(
    { counted: (all) => all.map((one) => one.text.split('  ')[0]).join(' '), widthOf: textWidths(NAME_PX) },
    LABEL,
  );
  const ask = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => drawNow(handle, filled, board));
  };
  handle.map.on('zoomend', ask);
  const stops = [
    effect(() => {
      handle.setData('rv_tracks', collection(chosenTracks.value.flatMap(trackFeatures)));
      handle.setData('rv_fixes', collection(chosenTracks.value.flatMap(fixFeatures)));
    }),
    effect(() => {
      const refused = hasRefused.value
        ? (review.value?.vessels ?? []).filter((one) => chosenIds.value.includes(one.id)).flatMap((one) => one.refused)
        : [];
      handle.setData('rv_refused', collection(refused.map((one) => pointOf(one, { reason: one.reason }))));
    }),
    effect(() => {
      const pins = differences.value.map(({ sign: of, finding }) =>
        pointOf(finding.peak, { symbol: `pin-${KIND[of]}` }),
      );
      handle.setData('rv_compared', collection(pins));
    }),
    effect(() => {
      void [cursor.value, tracks.value, chosenIds.value, chosenOne.value, zones.value, units.value];
      ask();
    }),
  ];
  return () => {
    cancelAnimationFrame(frame);
    handle.map.off('zoomend', ask);
    for (const stop of stops) stop();
  };
}

/** Runs of one colour, and dashed lines over gaps. */
function trackFeatures(track: Track): Feature[] {
  const { fixes, gaps } = track.vessel;
  const features: Feature[] = [];
  const placeOf = (i: number): Position => [fixes.lon[i]!, fixes.lat[i]!];
  const isGap = (i: number): boolean =>
    gaps.some((gap) => gap.from_ms < fixes.t_ms[i]! && fixes.t_ms[i - 1]! < gap.to_ms);
  let run: Position[] = [];
  let step = -1;
  const end = (): void => {
    if (run.length > 1) features.push(lineOf(run, { kind: 'track', step }));
    run = [];
  };
  for (let i = 0; i < fixes.t_ms.length; i++) {
    if (i > 0 && isGap(i)) {
      end();
      features.push(lineOf([placeOf(i - 1), placeOf(i)], { kind: 'gap' }));
    } else if (i > 0 && track.steps[i - 1] !== step) {
      end();
      run = [placeOf(i - 1)];
    }
    step = track.steps[i > 0 && run.length ? i - 1 : i]!;
    run.push(placeOf(i));
  }
  end();
  return features;
}

function fixFeatures({ vessel: { fixes } }: Track): Feature[] {
  return fixes.t_ms.map((_, i) =>
    pointOf({ lon: fixes.lon[i]!, lat: fixes.lat[i]! }, { isDerived: fixes.is_derived[i] ?? false }),
  );
}

/** The few features that move with the cursor. */
interface Now {
  now: Feature[];
  circles: Feature[];
  lines: Feature[];
  rings: Feature[];
}

function drawNow(handle: MapHandle, filled: Set<string>, board: PlateBoard): void {
  const at = cursor.value;
  const zoom = handle.map.getZoom();
  const wishes: PlateWish[] = [];
  const knowns = new Map<string, Known>();
  const drawn: Now = { now: [], circles: [], lines: [], rings: [] };
  for (const track of tracks.value) {
    const known = track.at(at);
    if (!known) continue;
    drawBoat(track, known, at, drawn);
    if (chosenIds.value.includes(track.id)) {
      knowns.set(track.id, known);
      const place = placeIn(worldPx(zoom), known.lon, known.lat);
      wishes.push({ id: track.id, ...place, text: nameAt(track, at), isBreach: false, since: -wishes.length });
    }
    if (track.id === chartTrack.value?.id) governing(known, at, drawn);
    if (followedId.value === track.id) handle.map.setCenter([known.lon, known.lat]);
  }
  for (const { id, text, place, isLed } of board.place(wishes, zoom)) {
    const { anchor, dx, dy } = place;
    const shift = [dx, dy].map((px) => (px * LABEL.scale) / NAME_PX);
    const leader = isLed && { leader: leaderSymbol('hull', PLACES.indexOf(place)) };
    drawn.now.push(pointOf(knowns.get(id)!, { kind: 'name', text, anchor, shift, ...leader }));
  }
  for (const [name, features] of Object.entries(drawn)) {
    // What was empty and stays so is not told again.
    if (features.length || filled.has(name)) handle.setData(`rv_${name}`, collection(features));
    if (features.length) filled.add(name);
    else filled.delete(name);
  }
}

const nameAt = (track: Track, at: number): string =>
  `${track.letter}  ${track.name}${track.skierAt(at) ? ` · ${words.live.towing}` : ''}`;

/** A boat at the cursor, with who it tows and, where it is chosen, how well its fixes are known. */
function drawBoat(track: Track, known: Known, at: number, { now, circles, lines }: Now): void {
  const isChosen = chosenIds.value.includes(track.id);
  const kind = classOf(track.vessel.class);
  const skier = track.skierAt(at);
  now.push(
    pointOf(known, {
      kind: 'boat',
      symbol: boatSymbol(known.cog_deg === null ? 'round' : kind, 'way', known.step),
      turn: known.cog_deg ?? 0,
      fade: isChosen ? 1 : 0.55,
      size: isChosen ? 1 : 0.8,
    }),
  );
  if (isChosen) circles.push(...accuracyCircles(track, at));
  if (!skier) return;
  now.push(
    pointOf(skier, {
      kind: 'skier',
      symbol: skier.isEstimated ? 'skier-estimated' : 'skier',
      text: isChosen ? (skier.isEstimated ? words.review.skierEstimated : words.review.skier) : '',
    }),
  );
  lines.push(between(known, skier, { kind: 'rope' }));
}

interface Place {
  lon: number;
  lat: number;
}
const between = (a: Place, b: Place, properties: Record<string, unknown>): Feature =>
  lineOf(
    [
      [a.lon, a.lat],
      [b.lon, b.lat],
    ],
    properties,
  );

/** Which edge of a text at `to` looks at `from`, so that the text lies beyond. */
function awayFrom(from: Place, to: Place): 'top' | 'bottom' | 'left' | 'right' {
  const turn = bearing([from.lon, from.lat], [to.lon, to.lat]);
  return turn < 45 || turn >= 315 ? 'bottom' : turn < 135 ? 'left' : turn < 225 ? 'top' : 'right';
}

const middle = (a: Place, b: Place): Place => ({ lon: (a.lon + b.lon) / 2, lat: (a.lat + b.lat) / 2 });

function accuracyCircles(track: Track, at: number): Feature[] {
  const { fixes } = track.vessel;
  const features: Feature[] = [];
  for (let i = track.indexAt(at - AROUND_MS) + 1; i < fixes.t_ms.length && track.time(i) <= at + AROUND_MS; i++) {
    const accuracy = fixes.accuracy_m[i];
    if (accuracy) features.push(feature(ring(fixes.lon[i]!, fixes.lat[i]!, accuracy)));
  }
  return features;
}

/** 95 % of a two-dimensional error within this many times its 68 % radius (Rayleigh). */
const CERTAIN = 1.62;

/** The line to the other boat, or to the feature that governs, with its length, and the rings round the place it meets. */
function governing(known: Known, at: number, { now, lines, rings }: Now): void {
  const finding = chosenOne.value;
  const unit = units.value.distance;
  const other = finding?.other ? tracks.value.find((one) => one.id === finding.other)?.at(at) : null;
  if (other) {
    const apart_m = distance([known.lon, known.lat], [other.lon, other.lat]);
    const limit_m = finding?.limit?.distance_m ?? null;
    lines.push(between(known, other, { kind: 'distance' }));
    now.push(
      pointOf(middle(known, other), { kind: 'distance', anchor: 'bottom', text: distanceText(apart_m, unit, limit_m) }),
    );
    return;
  }
  const strip = waterway.value?.limits.strip_m;
  const governs = known.feature ? zones.value?.byId.get(known.feature) : undefined;
  if (!governs || known.distance_m === null || !strip || known.distance_m > 4 * strip) return;
  const met = nearestOn(governs.geometry, [known.lon, known.lat]);
  if (!met) return;
  const place = { lon: met[0]!, lat: met[1]! };
  lines.push(between(known, place, { kind: 'distance' }));
  now.push(
    pointOf(place, {
      kind: 'distance',
      anchor: awayFrom(known, place),
      text: distanceText(known.distance_m, unit, strip),
    }),
  );
  rings.push(feature(ring(place.lon, place.lat, strip), { kind: 'governing' }));
  const certain = strip - CERTAIN * (known.accuracy_m ?? 0);
  if (known.accuracy_m && certain > 0) rings.push(feature(ring(place.lon, place.lat, certain), { kind: 'certain' }));
}
