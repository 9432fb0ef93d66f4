/**
 * The base map: layers of the zones, bottom to top, and the empty sources that live parts fill.
 * No tiles, no glyph or sprite server: text is drawn from the page's own fonts.
 */
import type { ExpressionSpecification, LayerSpecification, Map as GlMap, StyleSpecification } from 'maplibre-gl';
import { colour, type Palette, type Token } from './palette';

export const MEDIUM = ['Buoyline Medium'];
export const BOLD = ['Buoyline Bold'];
const EMPTY = { type: 'FeatureCollection' as const, features: [] };

const isKind = (...kinds: string[]): ExpressionSpecification => [
  'all',
  ['==', ['get', 'derived'], ''],
  ['in', ['get', 'kind'], ['literal', kinds]],
];
const isDerived = (name: string): ExpressionSpecification => ['==', ['get', 'derived'], name];

/** Which switch of the layer list a layer belongs to. */
export const GROUPS: Record<string, string[]> = {
  inshore: ['inshore', 'buoy_line'],
  zones: ['speed_zone', 'speed_zone_edge', 'speed_zone_label'],
  permits: ['permit', 'permit_edge', 'permit_label', 'mooring_area', 'course'],
  strip: ['strip', 'strip_edge'],
  docks: ['dock', 'dock_line', 'dock_label', 'dock_point', 'unlit'],
  circ: ['direction', 'circulation'],
  buoys: ['safety_buoy'],
};

export function baseLayers(palette: Palette): LayerSpecification[] {
  const c = (token: Token): string => colour(token, palette);
  const source = 'zones';
  return [
    { id: 'land', type: 'background', paint: { 'background-color': c('land') } },
    {
      id: 'water',
      type: 'fill',
      source,
      filter: isDerived('water'),
      paint: { 'fill-color': c('water'), 'fill-antialias': false },
    },
    {
      id: 'inshore',
      type: 'fill',
      source,
      minzoom: 12.5,
      filter: isDerived('inshore'),
      paint: { 'fill-color': c('inshore') },
    },
    {
      id: 'speed_zone',
      type: 'fill',
      source,
      minzoom: 11,
      filter: ['all', isKind('speed_zone'), ['get', '_holds']],
      paint: { 'fill-color': c('limit'), 'fill-opacity': 0.1 },
    },
    {
      id: 'permit',
      type: 'fill',
      source,
      minzoom: 12,
      filter: ['all', isKind('permit_area'), ['get', '_holds']],
      paint: { 'fill-color': c('permit'), 'fill-opacity': 0.05 },
    },
    {
      id: 'mooring_area',
      type: 'line',
      source,
      minzoom: 12,
      filter: isKind('mooring_area'),
      paint: { 'line-color': c('shore'), 'line-width': 1.2, 'line-dasharray': [2, 3] },
    },
    {
      id: 'strip',
      type: 'fill',
      source,
      minzoom: 12.5,
      filter: isDerived('strip'),
      paint: { 'fill-color': c('strip') },
    },
    {
      id: 'strip_edge',
      type: 'line',
      source,
      minzoom: 14,
      filter: isDerived('strip'),
      paint: { 'line-color': c('limit'), 'line-width': ['step', ['zoom'], 1, 15.5, 1.4] },
    },
    {
      id: 'swim_area',
      type: 'fill',
      source,
      minzoom: 12.5,
      filter: isKind('swim_area'),
      paint: { 'fill-color': c('swim_fill') },
    },
    {
      id: 'swim_edge',
      type: 'line',
      source,
      minzoom: 12.5,
      filter: isKind('swim_area'),
      paint: { 'line-color': c('swim'), 'line-width': 1.6, 'line-dasharray': [3, 2] },
    },
    {
      id: 'live_ring',
      type: 'fill',
      source: 'rings',
      minzoom: 14,
      paint: { 'fill-color': c('strip'), 'fill-opacity': 0.85 },
    },
    {
      id: 'live_ring_edge',
      type: 'line',
      source: 'rings',
      minzoom: 14,
      paint: { 'line-color': c('limit'), 'line-width': 1.2 },
    },
    {
      id: 'shore',
      type: 'line',
      source,
      filter: ['any', isDerived('water'), isKind('shoreline')],
      layout: { 'line-join': 'round' },
      paint: { 'line-color': c('shore'), 'line-width': 1.8 },
    },
    {
      id: 'buoy_line',
      type: 'line',
      source,
      minzoom: 12.5,
      filter: ['any', isDerived('buoy_line'), isKind('buoy_line')],
      layout: { 'line-join': 'round' },
      paint: { 'line-color': c('limit'), 'line-width': 2 },
    },
    {
      id: 'speed_zone_edge',
      type: 'line',
      source,
      minzoom: 11,
      filter: isKind('speed_zone'),
      paint: { 'line-color': c('limit'), 'line-width': 1.6, 'line-dasharray': [5, 2] },
    },
    {
      id: 'permit_edge',
      type: 'line',
      source,
      minzoom: 12,
      filter: ['all', isKind('permit_area'), ['get', '_holds']],
      paint: { 'line-color': c('permit'), 'line-width': 1.5, 'line-dasharray': [4, 2, 1, 2] },
    },
    {
      id: 'course',
      type: 'line',
      source,
      minzoom: 12,
      filter: isKind('course'),
      paint: { 'line-color': c('permit'), 'line-width': 1.4, 'line-dasharray': [3, 2] },
    },
    {
      id: 'dock',
      type: 'fill',
      source,
      minzoom: 13,
      filter: isKind('dock', 'launch_ramp'),
      paint: { 'fill-color': c('dock') },
    },
    {
      id: 'dock_line',
      type: 'line',
      source,
      minzoom: 13,
      filter: isKind('dock'),
      paint: { 'line-color': c('dock'), 'line-width': ['interpolate', ['exponential', 2], ['zoom'], 14, 1.4, 18, 8] },
    },
    {
      id: 'circulation',
      type: 'line',
      source,
      minzoom: 13.5,
      filter: isKind('circulation'),
      paint: { 'line-color': c('circ'), 'line-width': 1, 'line-dasharray': [4, 4] },
    },
    {
      id: 'direction',
      type: 'symbol',
      source,
      minzoom: 13,
      filter: isDerived('direction'),
      layout: {
        'icon-image': 'chevron',
        'icon-rotate': ['get', 'bearing_deg'],
        'icon-rotation-alignment': 'map',
        'icon-padding': 16,
        'icon-size': 0.9,
      },
      paint: { 'icon-opacity': 0.85 },
    },
    {
      id: 'dock_label',
      type: 'symbol',
      source,
      minzoom: 16,
      filter: isKind('dock'),
      layout: {
        'text-field': ['get', '_label'],
        'text-font': MEDIUM,
        'text-size': 12,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 0.8,
      },
      paint: halo('dock', palette),
    },
    {
      id: 'dock_point',
      type: 'symbol',
      source,
      minzoom: 13,
      filter: isKind('launch_ramp', 'float', 'ski_dock', 'mooring_buoy'),
      layout: { 'icon-image': ['get', 'kind'], 'icon-allow-overlap': true },
    },
    {
      id: 'unlit',
      type: 'symbol',
      source,
      minzoom: 15,
      filter: ['all', isKind('dock', 'float', 'ski_dock'), ['==', ['get', 'lit'], false]],
      layout: { 'icon-image': 'unlit', 'icon-offset': [9, -9] },
    },
    {
      id: 'swim_label',
      type: 'symbol',
      source,
      minzoom: 14,
      filter: isKind('swim_area'),
      layout: { 'icon-image': 'swim_area', 'icon-padding': 0 },
    },
    {
      id: 'permit_label',
      type: 'symbol',
      source,
      minzoom: 12,
      filter: ['all', isKind('permit_area'), ['get', '_holds']],
      layout: { 'text-field': ['get', '_label'], 'text-font': BOLD, 'text-size': 12 },
      paint: halo('permit', palette),
    },
    {
      id: 'speed_zone_label',
      type: 'symbol',
      source,
      minzoom: 12.5,
      filter: isKind('speed_zone'),
      layout: {
        'text-field': ['get', '_label'],
        'text-font': BOLD,
        'text-size': 12,
        'text-max-width': 30,
        'text-variable-anchor': ['center', 'top', 'bottom', 'left', 'right'],
        'text-radial-offset': 2,
      },
      paint: halo('limit', palette),
    },
    {
      id: 'safety_buoy',
      type: 'symbol',
      source,
      minzoom: 13,
      filter: isKind('safety_buoy'),
      layout: {
        'icon-image': 'safety_buoy',
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
        'icon-size': ['interpolate', ['linear'], ['zoom'], 13, 0.6, 14.5, 1],
        'text-field': ['get', '_label'],
        'text-font': BOLD,
        'text-size': 11,
        'text-anchor': 'top',
        'text-offset': [0, 0.95],
        'text-optional': true,
      },
      paint: halo('limit', palette),
    },
  ];
}

export function halo(
  token: Token,
  palette: Palette,
  ground: Token = 'surface',
): { 'text-color': string; 'text-halo-color': string; 'text-halo-width': number } {
  return { 'text-color': colour(token, palette), 'text-halo-color': colour(ground, palette), 'text-halo-width': 1.6 };
}

export function baseStyle(palette: Palette): StyleSpecification {
  const empty = { type: 'geojson' as const, data: EMPTY };
  return {
    version: 8,
    sources: { zones: { ...empty, tolerance: 0.2, maxzoom: 18 }, rings: empty },
    layers: baseLayers(palette),
  };
}

/** Gives layers that are on the map the colours of another palette. */
export function recolour(map: GlMap, layers: readonly LayerSpecification[]): void {
  for (const layer of layers) {
    if (!map.getLayer(layer.id)) continue;
    for (const [name, value] of Object.entries(layer.paint ?? {})) {
      map.setPaintProperty(layer.id, name as Parameters<GlMap['setPaintProperty']>[1], value as never);
    }
  }
}
