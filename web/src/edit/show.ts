/** Brings features of the draft into view. */
import type { Feature } from 'geojson';
import { boundsOf } from '../map/ground';
import { fitAll, shownMap } from '../map/view';
import { keyOf, panel, selectedId, source, tool } from './state';

export const featureOf = (id: string): Feature | null =>
  source.value?.features.find((one, i) => keyOf(one, i) === id) ?? null;

export function fitTo(feature: Feature | null): void {
  const bounds = feature?.geometry && boundsOf([feature]);
  if (bounds && shownMap.value) fitAll(shownMap.value.map, bounds);
}

/** Chooses a feature and brings it into view. */
export function showFeature(id: string): void {
  tool.value = 'select';
  selectedId.value = id;
  fitTo(featureOf(id));
}

/** Brings a place into view, no nearer than the map is already. */
export function showPlace(lon: number, lat: number): void {
  const map = shownMap.value?.map;
  map?.easeTo({ center: [lon, lat], zoom: Math.max(map.getZoom(), 16) });
}

/** The same, with its form. */
export function openFeature(id: string): void {
  panel.value = 'form';
  showFeature(id);
}
