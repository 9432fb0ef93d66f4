/**
 * What the editor draws over the map: changes against the published one, numbered squares where the check finds fault,
 * the order of buoys, what others are editing, and the findings a run gained and lost.
 */
import { effect } from '@preact/signals';
import type { Feature, FeatureCollection, Geometry } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { boundsOf, ring } from '../map/ground';
import { colour, palette, type Palette } from '../map/palette';
import { BOLD, halo, MEDIUM } from '../map/style';
import type { MapHandle } from '../map/view';
import { chosenEffect, effectPins } from './effect';
import { buoysOf, lineOf, ordering } from './order';
import { isMine, otherDrafts } from './others';
import { changes, faults, keyOf, look, selected, source, tool } from './state';
import { linesByRule } from './ruleline';
import { sketch } from './sketchline';

const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };
const SOURCES = [
  'ed_old',
  'ed_new',
  'ed_signs',
  'ed_faults',
  'ed_job',
  'ed_chosen',
  'ed_rule',
  'ed_order',
  'ed_others',
  'ed_sketch',
];
const isPoint: ['==', ['geometry-type'], 'Point'] = ['==', ['geometry-type'], 'Point'];
const isWhat = (what: string): ['==', ['get', 'what'], string] => ['==', ['get', 'what'], what];

function layers(palette: Palette): LayerSpecification[] {
  const c = (token: Parameters<typeof colour>[0]): string => colour(token, palette);
  return [
    // Gone: hatched, its edge dashed.
    {
      id: 'ed_removed',
      type: 'fill',
      source: 'ed_old',
      filter: ['all', isWhat('removed'), ['==', ['geometry-type'], 'Polygon']],
      paint: { 'fill-pattern': 'ed-hatch' },
    },
    {
      id: 'ed_old_casing',
      type: 'line',
      source: 'ed_old',
      paint: { 'line-color': c('surface'), 'line-width': 4, 'line-opacity': 0.7 },
    },
    {
      id: 'ed_old',
      type: 'line',
      source: 'ed_old',
      paint: { 'line-color': c('text2'), 'line-width': 2, 'line-dasharray': [3, 2] },
    },
    {
      id: 'ed_old_point',
      type: 'symbol',
      source: 'ed_old',
      filter: isPoint,
      layout: { 'icon-image': 'ed-ring-old', 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    },
    {
      id: 'ed_new_casing',
      type: 'line',
      source: 'ed_new',
      paint: { 'line-color': c('surface'), 'line-width': 6, 'line-opacity': 0.7 },
    },
    { id: 'ed_new', type: 'line', source: 'ed_new', paint: { 'line-color': c('ok'), 'line-width': 3 } },
    {
      id: 'ed_new_point',
      type: 'symbol',
      source: 'ed_new',
      filter: isPoint,
      layout: { 'icon-image': 'ed-ring-new', 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    },
    {
      id: 'ed_sign',
      type: 'symbol',
      source: 'ed_signs',
      layout: {
        'text-field': ['get', 'sign'],
        'text-font': BOLD,
        'text-size': 17,
        'icon-image': 'ed-sign',
        'icon-allow-overlap': true,
        'text-allow-overlap': true,
        'text-offset': [1.06, -1.06],
        'icon-offset': [18, -18],
      },
      paint: halo('text', palette),
    },
    // Beside a declared line, in its colour: what the order of the buoys would make of it.
    {
      id: 'ed_rule_casing',
      type: 'line',
      source: 'ed_rule',
      paint: { 'line-color': c('surface'), 'line-width': 4, 'line-opacity': 0.7 },
    },
    {
      id: 'ed_rule',
      type: 'line',
      source: 'ed_rule',
      paint: { 'line-color': c('limit'), 'line-width': 2, 'line-dasharray': [3, 3] },
    },
    {
      id: 'ed_others',
      type: 'line',
      source: 'ed_others',
      paint: { 'line-color': c('possible'), 'line-width': 3, 'line-dasharray': [1, 2] },
    },
    {
      id: 'ed_others_name',
      type: 'symbol',
      source: 'ed_others',
      filter: ['has', 'who'],
      layout: {
        'text-field': ['get', 'who'],
        'text-font': MEDIUM,
        'text-size': 12,
        'text-anchor': 'top',
        'text-offset': [0, 1],
        'symbol-placement': 'point',
      },
      paint: halo('possible', palette),
    },
    {
      id: 'ed_chosen_casing',
      type: 'line',
      source: 'ed_chosen',
      paint: { 'line-color': c('surface'), 'line-width': 6 },
    },
    { id: 'ed_chosen', type: 'line', source: 'ed_chosen', paint: { 'line-color': c('select'), 'line-width': 3 } },
    {
      id: 'ed_order',
      type: 'line',
      source: 'ed_order',
      paint: { 'line-color': c('select'), 'line-width': 2 },
    },
    {
      id: 'ed_order_arrow',
      type: 'symbol',
      source: 'ed_order',
      layout: {
        'symbol-placement': 'line-center',
        'icon-image': 'ed-arrow',
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
      },
    },
    {
      id: 'ed_sketch',
      type: 'line',
      source: 'ed_sketch',
      paint: { 'line-color': c('accent'), 'line-width': 2.5, 'line-dasharray': [2, 1] },
    },
    {
      id: 'ed_sketch_point',
      type: 'circle',
      source: 'ed_sketch',
      filter: isPoint,
      paint: {
        'circle-color': c('surface'),
        'circle-radius': 5,
        'circle-stroke-color': c('accent'),
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'ed_fault',
      type: 'symbol',
      source: 'ed_faults',
      layout: {
        'text-field': ['get', 'n'],
        'text-font': BOLD,
        'text-size': 13,
        'text-allow-overlap': true,
        'icon-image': 'lint',
        'icon-text-fit': 'both',
        'icon-text-fit-padding': [1, 4, 1, 4],
        'icon-allow-overlap': true,
        'text-offset': [0, -1.4],
      },
      paint: { 'text-color': c('warn') },
    },
    {
      id: 'ed_job_chosen',
      type: 'circle',
      source: 'ed_job',
      filter: ['get', 'isChosen'],
      paint: {
        'circle-radius': 19,
        'circle-color': c('select'),
        'circle-opacity': 0.15,
        'circle-stroke-color': c('select'),
        'circle-stroke-width': 3,
      },
    },
    {
      id: 'ed_job',
      type: 'symbol',
      source: 'ed_job',
      layout: {
        'icon-image': ['get', 'pin'],
        'icon-allow-overlap': true,
        'text-field': ['get', 'sign'],
        'text-font': BOLD,
        'text-size': 20,
        'text-offset': [0.95, -0.5],
        'text-allow-overlap': true,
      },
      paint: halo('text', palette),
    },
  ];
}

type Draw = (at: CanvasRenderingContext2D, c: (token: Parameters<typeof colour>[0]) => string) => void;
const IMAGES: Record<string, { size: number; draw: Draw }> = {
  'ed-hatch': {
    size: 10,
    draw(at, c) {
      at.strokeStyle = c('text2');
      at.lineWidth = 1.6;
      at.beginPath();
      for (const from of [-10, 0, 10]) {
        at.moveTo(from, 10);
        at.lineTo(from + 10, 0);
      }
      at.stroke();
    },
  },
  'ed-ring-old': {
    size: 32,
    draw(at, c) {
      at.strokeStyle = c('text2');
      at.lineWidth = 2;
      at.setLineDash([4, 3]);
      at.beginPath();
      at.arc(16, 16, 13, 0, Math.PI * 2);
      at.stroke();
    },
  },
  'ed-ring-new': {
    size: 32,
    draw(at, c) {
      at.strokeStyle = c('ok');
      at.lineWidth = 3;
      at.beginPath();
      at.arc(16, 16, 13, 0, Math.PI * 2);
      at.stroke();
    },
  },
  'ed-sign': {
    size: 22,
    draw(at, c) {
      at.fillStyle = c('surface');
      at.strokeStyle = c('text');
      at.lineWidth = 1.5;
      at.beginPath();
      at.arc(11, 11, 9.5, 0, Math.PI * 2);
      at.fill();
      at.stroke();
    },
  },
  'ed-arrow': {
    size: 20,
    draw(at, c) {
      at.fillStyle = c('select');
      at.strokeStyle = c('surface');
      at.lineWidth = 1.5;
      at.beginPath();
      at.moveTo(18, 10);
      at.lineTo(4, 3);
      at.lineTo(8, 10);
      at.lineTo(4, 17);
      at.closePath();
      at.fill();
      at.stroke();
    },
  },
};

function addImages(handle: MapHandle, name: Palette): void {
  const ratio = Math.min(3, Math.max(1, Math.ceil(devicePixelRatio)));
  for (const [id, { size, draw }] of Object.entries(IMAGES)) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size * ratio;
    const at = canvas.getContext('2d', { willReadFrequently: true })!;
    at.scale(ratio, ratio);
    draw(at, (token) => colour(token, name));
    const image = at.getImageData(0, 0, canvas.width, canvas.height);
    if (handle.map.hasImage(id)) handle.map.updateImage(id, image);
    else handle.map.addImage(id, image, { pixelRatio: ratio });
  }
}

const centre = (geometry: Geometry): [number, number] | null => {
  const box = boundsOf([{ type: 'Feature', properties: null, geometry }]);
  return box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : null;
};
const point = (at: [number, number], properties: Record<string, unknown>): Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: at },
  properties,
});
const drawn = (geometry: Geometry, properties: Record<string, unknown> = {}): Feature => ({
  type: 'Feature',
  geometry,
  properties,
});
const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });

/** What is outlined of a feature: itself, or a small ring around a point. */
const outline = (geometry: Geometry): Geometry =>
  geometry.type === 'Point' ? ring(geometry.coordinates[0]!, geometry.coordinates[1]!, 4) : geometry;

export function showEditing(handle: MapHandle): () => void {
  for (const name of SOURCES) handle.setData(name, EMPTY);
  addImages(handle, palette.peek());
  handle.addLayers({ layers });
  const stops = [
    effect(() => addImages(handle, palette.value)),
    effect(() => {
      const list = look.value === 'both' ? changes.value : [];
      handle.setData(
        'ed_old',
        collection(
          list.flatMap((one) =>
            one.before?.geometry && one.isGeometry ? [drawn(one.before.geometry, { what: one.what })] : [],
          ),
        ),
      );
      handle.setData(
        'ed_new',
        collection(list.flatMap((one) => (one.after?.geometry && one.isGeometry ? [drawn(one.after.geometry)] : []))),
      );
      handle.setData(
        'ed_signs',
        collection(
          list.flatMap((one) => {
            const geometry = (one.after ?? one.before)?.geometry;
            const at = geometry && centre(geometry);
            return at ? [point(at, { sign: one.what === 'added' ? '+' : one.what === 'removed' ? '−' : '~' })] : [];
          }),
        ),
      );
    }),
    effect(() => {
      const map = source.value;
      const at = new Map((map?.features ?? []).map((feature, i) => [keyOf(feature, i), feature]));
      // Numbers at the same place share a square.
      const squares = new Map<string, { at: [number, number]; numbers: number[] }>();
      for (const [i, fault] of (look.value === 'published' ? [] : faults.value).entries()) {
        const geometry = fault.feature ? at.get(fault.feature)?.geometry : undefined;
        const place: [number, number] | null =
          fault.lon != null && fault.lat != null ? [fault.lon, fault.lat] : geometry ? centre(geometry) : null;
        if (!place) continue;
        const key = place.map((one) => one.toFixed(6)).join();
        const there = squares.get(key);
        if (there) there.numbers.push(i + 1);
        else squares.set(key, { at: place, numbers: [i + 1] });
      }
      handle.setData(
        'ed_faults',
        collection([...squares.values()].map((one) => point(one.at, { n: one.numbers.join(', ') }))),
      );
    }),
    effect(() => {
      const chosen = chosenEffect.value;
      handle.setData(
        'ed_job',
        collection(
          effectPins.value.map(({ sign, finding }) =>
            point([finding.peak.lon, finding.peak.lat], {
              pin: `pin-${finding.verdict}`,
              sign,
              finding: finding.id,
              isChosen: chosen === finding.id,
            }),
          ),
        ),
      );
    }),
    effect(() => {
      // While something else than dragging goes on the chosen feature is outlined here.
      const feature = tool.value === 'split' ? selected.value : null;
      handle.setData('ed_chosen', feature?.geometry ? collection([drawn(outline(feature.geometry))]) : EMPTY);
    }),
    effect(() => {
      const line = ordering.value?.line ?? lineOf(selected.value);
      const buoys = line === null || look.value === 'published' ? [] : buoysOf(source.value, line);
      handle.setData(
        'ed_order',
        collection(buoys.slice(1).map((one, i) => drawn({ type: 'LineString', coordinates: [buoys[i]!.at, one.at] }))),
      );
    }),
    effect(() => {
      const list = look.value === 'published' ? [] : linesByRule.value;
      handle.setData('ed_rule', collection(list.map((geometry) => drawn(geometry))));
    }),
    effect(() => {
      const map = source.value;
      const who = new Map<string, string>();
      for (const other of look.value === 'published' ? [] : otherDrafts.value.filter((one) => !isMine(one)))
        for (const id of other.changes ?? []) who.set(id, other.author);
      handle.setData(
        'ed_others',
        collection(
          (map?.features ?? []).flatMap((feature, i) => {
            const name = who.get(keyOf(feature, i));
            return name && feature.geometry ? [drawn(outline(feature.geometry), { who: name })] : [];
          }),
        ),
      );
    }),
    effect(() => {
      const line = sketch.value;
      handle.setData(
        'ed_sketch',
        collection([
          ...(line.length > 1 ? [drawn({ type: 'LineString', coordinates: line })] : []),
          ...line.map((at) => drawn({ type: 'Point', coordinates: at })),
        ]),
      );
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
