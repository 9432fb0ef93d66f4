/** The layers of Live, above the base map, bottom to top. */
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { colour, RAMP, type Palette } from './palette';
import { BOLD, halo, MEDIUM } from './style';

export const LIVE_SOURCES = ['tails', 'tows', 'marks', 'pins', 'clusters', 'boats', 'plates', 'chosen'] as const;

const isPoint: ExpressionSpecification = ['==', ['geometry-type'], 'Point'];
const isLine: ExpressionSpecification = ['==', ['geometry-type'], 'LineString'];

/** Colour of a step of the speed ramp. */
export function rampColour(palette: Palette): ExpressionSpecification {
  const steps = RAMP.slice(1).flatMap((token, i) => [i + 1, colour(token, palette)]);
  return ['match', ['get', 'step'], ...steps, colour('stale', palette)] as unknown as ExpressionSpecification;
}

/** Size of a boat's symbol: fixed, and of true length once that is larger. */
const boatSize: ExpressionSpecification = [
  'interpolate',
  ['exponential', 2],
  ['zoom'],
  12,
  ['*', 0.6, ['get', 'size']],
  14,
  ['get', 'size'],
  ...[15, 16, 17, 18, 19, 20].flatMap((zoom) => [
    zoom,
    ['max', ['get', 'size'], ['*', ['get', 'long'], 2 ** (zoom - 16)]],
  ]),
] as unknown as ExpressionSpecification;

export function liveLayers(palette: Palette): LayerSpecification[] {
  const c = (token: Parameters<typeof colour>[0]): string => colour(token, palette);
  return [
    {
      id: 'tails',
      type: 'line',
      source: 'tails',
      minzoom: 12,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': rampColour(palette),
        'line-width': ['case', ['>=', ['get', 'step'], 3], 4, 2.5],
        'line-opacity': ['get', 'fade'],
      },
    },
    {
      id: 'tow_rope',
      type: 'line',
      source: 'tows',
      minzoom: 15.5,
      filter: isLine,
      paint: { 'line-color': c('hull'), 'line-width': 1.4, 'line-dasharray': [3, 2] },
    },
    {
      id: 'tow_skier',
      type: 'symbol',
      source: 'tows',
      minzoom: 15.5,
      filter: isPoint,
      layout: { 'icon-image': ['get', 'symbol'], 'icon-allow-overlap': true },
    },
    {
      id: 'marks',
      type: 'symbol',
      source: 'marks',
      minzoom: 11,
      layout: {
        'icon-image': ['get', 'symbol'],
        'icon-anchor': ['get', 'anchor'],
        'icon-offset': ['get', 'shift'],
        'icon-allow-overlap': true,
        'text-field': ['get', 'label'],
        'text-font': BOLD,
        'text-size': 12,
        'text-variable-anchor': ['left', 'right', 'top'],
        'text-radial-offset': 1.8,
        'text-optional': true,
      },
      paint: halo('text', palette),
    },
    {
      id: 'pins',
      type: 'symbol',
      source: 'pins',
      minzoom: 12,
      layout: { 'icon-image': ['get', 'symbol'], 'icon-allow-overlap': true },
      paint: { 'icon-opacity': ['get', 'fade'] },
    },
    {
      id: 'clusters',
      type: 'circle',
      source: 'clusters',
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['get', 'count'], 3, 11, 100, 20],
        'circle-color': c('surface'),
        'circle-stroke-color': c('hull'),
        'circle-stroke-width': 1.8,
      },
    },
    {
      id: 'cluster_count',
      type: 'symbol',
      source: 'clusters',
      layout: {
        'text-field': ['to-string', ['get', 'count']],
        'text-font': BOLD,
        'text-size': 12,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': c('text') },
    },
    {
      id: 'halos',
      type: 'symbol',
      source: 'boats',
      filter: ['!=', ['get', 'halo'], ''],
      layout: { 'icon-image': ['get', 'halo'], 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    },
    {
      id: 'tow_glyph',
      type: 'symbol',
      source: 'boats',
      maxzoom: 15.5,
      filter: ['==', ['get', 'isTowing'], true],
      layout: {
        'icon-image': 'tow',
        'icon-rotate': ['get', 'tow'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
        'icon-anchor': 'center',
        'icon-offset': [0, 10],
      },
    },
    {
      id: 'boats',
      type: 'symbol',
      source: 'boats',
      layout: {
        'icon-image': ['get', 'symbol'],
        'icon-rotate': ['get', 'turn'],
        'icon-rotation-alignment': 'map',
        'icon-size': boatSize,
        'icon-allow-overlap': true,
        'icon-padding': 0,
        'symbol-sort-key': ['-', 10, ['get', 'rank']],
        'symbol-z-order': 'source',
      },
    },
    {
      id: 'permits',
      type: 'symbol',
      source: 'boats',
      filter: ['==', ['get', 'permit'], true],
      layout: { 'icon-image': 'permit-dot', 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    },
    {
      id: 'names',
      type: 'symbol',
      source: 'boats',
      filter: ['!=', ['get', 'name'], ''],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': BOLD,
        'text-size': 12,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 1.35,
        'text-justify': 'auto',
        'text-padding': 3,
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { ...halo('text', palette), 'text-color': ['case', ['get', 'isPale'], c('text2'), c('text')] },
    },
    {
      id: 'brackets',
      type: 'symbol',
      source: 'chosen',
      layout: { 'icon-image': 'brackets', 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    },
    {
      id: 'plates',
      type: 'symbol',
      source: 'plates',
      layout: {
        'icon-image': ['get', 'symbol'],
        'icon-text-fit': 'both',
        'icon-text-fit-padding': [2, 3, 2, 3],
        'icon-allow-overlap': true,
        'text-allow-overlap': true,
        'text-field': ['get', 'text'],
        'text-font': BOLD,
        'text-size': 13,
        'text-anchor': 'bottom',
        'text-offset': [0, -2.1],
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': ['case', ['get', 'isBreach'], c('on_breach'), c('possible')] },
    },
  ];
}

/** Layers by the switches of the layer list, beside those of the base map. */
export const LIVE_GROUPS: Record<string, string[]> = { tails: ['tails'], names: ['names'], pins: ['pins'] };

export { MEDIUM };
