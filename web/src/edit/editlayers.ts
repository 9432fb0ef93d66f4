/** What the editor draws over the map: changes against the published one, and numbered squares where the check finds fault. */
import { effect } from '@preact/signals';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { boundsOf } from '../map/ground';
import { colour, type Palette } from '../map/palette';
import { BOLD, halo } from '../map/style';
import type { MapHandle } from '../map/view';
import { changes, faults, job, keyOf, look, source } from './state';

const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

function layers(palette: Palette): LayerSpecification[] {
  const c = (token: Parameters<typeof colour>[0]): string => colour(token, palette);
  return [
    {
      id: 'ed_old',
      type: 'line',
      source: 'ed_old',
      paint: { 'line-color': c('stale'), 'line-width': 2, 'line-dasharray': [3, 2] },
    },
    { id: 'ed_new', type: 'line', source: 'ed_new', paint: { 'line-color': c('ok'), 'line-width': 3 } },
    {
      id: 'ed_sign',
      type: 'symbol',
      source: 'ed_signs',
      layout: { 'text-field': ['get', 'sign'], 'text-font': BOLD, 'text-size': 20, 'text-allow-overlap': true },
      paint: halo('text', palette),
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
      id: 'ed_job',
      type: 'symbol',
      source: 'ed_job',
      layout: {
        'icon-image': ['get', 'pin'],
        'icon-allow-overlap': true,
        'text-field': ['get', 'sign'],
        'text-font': BOLD,
        'text-size': 16,
        'text-offset': [1, -0.6],
        'text-allow-overlap': true,
      },
      paint: halo('text', palette),
    },
  ];
}

const centre = (feature: Feature): [number, number] | null => {
  const box = boundsOf([feature]);
  return box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : null;
};
const point = (at: [number, number], properties: Record<string, unknown>): Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: at },
  properties,
});
const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features });

export function showEditing(handle: MapHandle): () => void {
  for (const name of ['ed_old', 'ed_new', 'ed_signs', 'ed_faults', 'ed_job']) handle.setData(name, EMPTY);
  handle.addLayers({ layers });
  const stops = [
    effect(() => {
      const list = look.value === 'both' ? changes.value : [];
      handle.setData('ed_old', collection(list.flatMap((one) => (one.before && one.isGeometry ? [one.before] : []))));
      handle.setData('ed_new', collection(list.flatMap((one) => (one.after && one.isGeometry ? [one.after] : []))));
      handle.setData(
        'ed_signs',
        collection(
          list.flatMap((one) => {
            const at = centre((one.after ?? one.before)!);
            return at ? [point(at, { sign: one.what === 'added' ? '+' : one.what === 'removed' ? '−' : '~' })] : [];
          }),
        ),
      );
    }),
    effect(() => {
      const map = source.value;
      const at = new Map((map?.features ?? []).map((feature, i) => [keyOf(feature, i), feature]));
      handle.setData(
        'ed_faults',
        collection(
          look.value === 'published'
            ? []
            : faults.value.flatMap((fault, i) => {
                const feature = fault.feature ? at.get(fault.feature) : undefined;
                const place = feature?.geometry ? centre(feature) : null;
                return place ? [point(place, { n: String(i + 1) })] : [];
              }),
        ),
      );
    }),
    effect(() => {
      const run = job.value;
      const pins = (list: { peak: { lon: number; lat: number }; verdict: string }[], sign: string): Feature[] =>
        list.map((one) => point([one.peak.lon, one.peak.lat], { pin: `pin-${one.verdict}`, sign }));
      handle.setData('ed_job', collection(run ? [...pins(run.gained, '+'), ...pins(run.lost, '−')] : []));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
