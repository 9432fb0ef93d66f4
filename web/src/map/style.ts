/**
 * The base map: layers of the zones, bottom to top, and the empty sources that live parts fill.
 * No tiles, no glyph or sprite server: text is drawn from the page's own fonts.
 */
import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, Map as GlMap, StyleSpecification } from 'maplibre-gl';
import { collection } from './features';
import { always, area, halo, line, MEDIUM, sign, text, type Where } from './layer';
import { veil, type Ground } from './ownground';
import { colour, type Palette, type Token } from './palette';

export { BOLD, halo, MEDIUM } from './layer';

const isKind = (...kinds: string[]): ExpressionSpecification => [
  'all',
  ['==', ['get', 'derived'], ''],
  ['in', ['get', 'kind'], ['literal', kinds]],
];
const isDerived = (name: string): ExpressionSpecification => ['==', ['get', 'derived'], name];
const holding = (kind: string): ExpressionSpecification => ['all', isKind(kind), ['get', '_holds']];
const of = (filter: ExpressionSpecification, from?: number): Where => ({ source: 'zones', from, filter });

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
  return [
    { id: 'land', type: 'background', paint: { 'background-color': c('land') } },
    {
      ...area('water', of(isDerived('water')), c('water')),
      paint: { 'fill-color': c('water'), 'fill-antialias': false },
    },
    area('inshore', of(isDerived('inshore'), 12.5), c('inshore')),
    area('speed_zone', of(holding('speed_zone'), 11), c('limit'), 0.1),
    area('permit', of(holding('permit_area'), 12), c('permit'), 0.05),
    line('mooring_area', of(isKind('mooring_area'), 12), c('shore'), 1.2, [2, 3]),
    area('strip', of(isDerived('strip'), 12.5), c('strip')),
    line('strip_edge', of(isDerived('strip'), 14), c('limit'), ['step', ['zoom'], 1, 15.5, 1.4]),
    area('swim_area', of(isKind('swim_area'), 12.5), c('swim_fill')),
    line('swim_edge', of(isKind('swim_area'), 12.5), c('swim'), 1.6, [3, 2]),
    area('live_ring', { source: 'rings', from: 14 }, c('strip'), 0.85),
    line('live_ring_edge', { source: 'rings', from: 14 }, c('limit'), 1.2),
    line('shore', of(['any', isDerived('water'), isKind('shoreline')]), c('shore'), 1.8),
    line('buoy_line', of(['any', isDerived('buoy_line'), isKind('buoy_line')], 12.5), c('limit'), 2),
    line('speed_zone_edge', of(isKind('speed_zone'), 11), c('limit'), 1.6, [5, 2]),
    line('permit_edge', of(holding('permit_area'), 12), c('permit'), 1.5, [4, 2, 1, 2]),
    line('course', of(isKind('course'), 12), c('permit'), 1.4, [3, 2]),
    area('dock', of(isKind('dock', 'launch_ramp'), 13), c('dock')),
    line('dock_line', of(isKind('dock'), 13), c('dock'), ['interpolate', ['exponential', 2], ['zoom'], 14, 1.4, 18, 8]),
    line('circulation', of(isKind('circulation'), 13.5), c('circ'), 1, [4, 4]),
    sign(
      'direction',
      of(isDerived('direction'), 13),
      {
        'icon-image': 'chevron',
        'icon-rotate': ['get', 'bearing_deg'],
        'icon-rotation-alignment': 'map',
        'icon-padding': 16,
        'icon-size': 0.9,
      },
      { 'icon-opacity': 0.85 },
    ),
    sign(
      'dock_label',
      of(isKind('dock'), 16),
      {
        ...text('_label', 12, MEDIUM),
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 0.8,
      },
      halo('dock', palette),
    ),
    sign('dock_point', of(isKind('launch_ramp', 'float', 'ski_dock', 'mooring_buoy'), 13), {
      'icon-image': ['get', 'kind'],
      'icon-allow-overlap': true,
    }),
    sign('unlit', of(['all', isKind('dock', 'float', 'ski_dock'), ['==', ['get', 'lit'], false]], 15), {
      'icon-image': 'unlit',
      'icon-offset': [9, -9],
    }),
    sign('swim_label', of(isKind('swim_area'), 14), { 'icon-image': 'swim_area', 'icon-padding': 0 }),
    sign('permit_label', of(holding('permit_area'), 12), text('_label', 12), halo('permit', palette)),
    sign(
      'speed_zone_label',
      of(isKind('speed_zone'), 13.2),
      {
        ...text('_label', 12),
        'text-max-width': 30,
        'text-variable-anchor': ['center', 'top', 'bottom', 'left', 'right'],
        'text-radial-offset': 2,
      },
      halo('limit', palette),
    ),
    sign(
      'safety_buoy',
      of(isKind('safety_buoy'), 13),
      {
        ...always,
        'icon-image': 'safety_buoy',
        'icon-size': ['interpolate', ['linear'], ['zoom'], 13, 0.6, 14.5, 1],
        ...text('_label', 11),
        'text-anchor': 'top',
        'text-offset': [0, 0.95],
        'text-optional': true,
      },
      halo('limit', palette),
    ),
  ];
}

/** `ground`: what stands in for plain land; `zones`: what is known of them already. */
export function baseStyle(palette: Palette, ground: Ground | null, zones: FeatureCollection): StyleSpecification {
  const empty = { type: 'geojson' as const, data: collection() };
  const [land, ...rest] = baseLayers(palette);
  return {
    version: 8,
    sources: { ...ground?.sources, zones: { ...empty, data: zones, tolerance: 0.2, maxzoom: 18 }, rings: empty },
    layers: [land!, ...(ground ? [...ground.layers, veil(palette)] : []), ...rest],
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
