/** The layers of Live, above the base map, bottom to top. */
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { always, halo, line, sign, text } from './layer';
import { colour, RAMP, type Palette, type Token } from './palette';

/** Size of the text on a plate. */
export const PLATE_TEXT_PX = 13;

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
  const c = (token: Token): string => colour(token, palette);
  const tail = line('tails', { source: 'tails', from: 12 }, rampColour(palette), [
    'case',
    ['>=', ['get', 'step'], 3],
    4,
    2.5,
  ]);
  return [
    {
      ...tail,
      layout: { ...tail.layout, 'line-cap': 'round' },
      paint: { ...tail.paint, 'line-opacity': ['get', 'fade'] },
    },
    line('tow_rope', { source: 'tows', from: 15.5, filter: isLine }, c('hull'), 1.4, [3, 2]),
    sign(
      'tow_skier',
      { source: 'tows', from: 15.5, filter: isPoint },
      {
        'icon-image': ['get', 'symbol'],
        'icon-allow-overlap': true,
      },
    ),
    sign(
      'marks',
      { source: 'marks', from: 11 },
      {
        'icon-image': ['get', 'symbol'],
        'icon-anchor': ['get', 'anchor'],
        'icon-offset': ['get', 'shift'],
        'icon-allow-overlap': true,
        ...text('label', 12),
        'text-variable-anchor': ['left', 'right', 'top'],
        'text-radial-offset': 1.8,
        'text-optional': true,
      },
      halo('text', palette),
    ),
    sign(
      'pins',
      { source: 'pins', from: 12 },
      { 'icon-image': ['get', 'symbol'], 'icon-allow-overlap': true },
      { 'icon-opacity': ['get', 'fade'] },
    ),
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
    sign(
      'cluster_count',
      { source: 'clusters' },
      { ...text(['to-string', ['get', 'count']], 12), 'text-allow-overlap': true },
      { 'text-color': c('text') },
    ),
    sign(
      'halos',
      { source: 'boats', filter: ['!=', ['get', 'halo'], ''] },
      { ...always, 'icon-image': ['get', 'halo'] },
    ),
    sign(
      'tow_glyph',
      { source: 'boats', to: 15.5, filter: ['==', ['get', 'isTowing'], true] },
      {
        ...always,
        'icon-image': 'tow',
        'icon-rotate': ['get', 'tow'],
        'icon-rotation-alignment': 'map',
        'icon-anchor': 'center',
        'icon-offset': [0, 10],
      },
    ),
    // From the plate to its boat, over halos and under the boats.
    sign(
      'leaders',
      { source: 'plates', filter: ['!=', ['get', 'leader'], ''] },
      { ...always, 'icon-image': ['get', 'leader'] },
    ),
    sign(
      'boats',
      { source: 'boats' },
      {
        'icon-image': ['get', 'symbol'],
        'icon-rotate': ['get', 'turn'],
        'icon-rotation-alignment': 'map',
        'icon-size': boatSize,
        'icon-allow-overlap': true,
        'icon-padding': 0,
        'symbol-sort-key': ['-', 10, ['get', 'rank']],
        'symbol-z-order': 'source',
      },
    ),
    sign(
      'permits',
      { source: 'boats', filter: ['==', ['get', 'permit'], true] },
      { ...always, 'icon-image': 'permit-dot' },
    ),
    sign(
      'names',
      { source: 'boats', filter: ['!=', ['get', 'name'], ''] },
      {
        ...text('name', 12),
        'text-max-width': 30,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        // Clear of the halo and the brackets.
        'text-radial-offset': ['case', ['get', 'isRinged'], 2.8, 1.35],
        'text-justify': 'auto',
        'text-padding': 3,
        'symbol-sort-key': ['get', 'rank'],
      },
      { ...halo('text', palette), 'text-color': ['case', ['get', 'isPale'], c('text2'), c('text')] },
    ),
    // Names keep off halos and brackets: what is placed first, from the top down, has its room.
    sign(
      'halo_room',
      { source: 'boats', filter: ['!=', ['get', 'halo'], ''] },
      { 'icon-image': 'halo-thin', 'icon-allow-overlap': true },
      { 'icon-opacity': 0 },
    ),
    sign('brackets', { source: 'chosen' }, { 'icon-image': 'brackets', 'icon-allow-overlap': true }),
    sign(
      'plates',
      { source: 'plates' },
      {
        'icon-image': ['get', 'symbol'],
        'icon-text-fit': 'both',
        'icon-text-fit-padding': [2, 3, 2, 3],
        'icon-allow-overlap': true,
        'text-allow-overlap': true,
        ...text('text', PLATE_TEXT_PX),
        'text-max-width': 40,
        // Placed by `plates.ts`, so that none covers another.
        'text-anchor': ['get', 'anchor'],
        'text-offset': ['array', 'number', 2, ['get', 'shift']],
        'symbol-sort-key': ['-', ['get', 'rank']],
      },
      { 'text-color': ['case', ['get', 'isBreach'], c('on_breach'), c('possible')] },
    ),
  ];
}

/** Layers by the switches of the layer list, beside those of the base map. */
export const LIVE_GROUPS: Record<string, string[]> = { tails: ['tails'], names: ['names'], pins: ['pins'] };
