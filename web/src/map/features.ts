/** Features of a source in few words. */
import type { Feature, FeatureCollection, Geometry, LineString, Point, Position } from 'geojson';

type Properties = Record<string, unknown>;

export const collection = (features: Feature[] = []): FeatureCollection => ({ type: 'FeatureCollection', features });

export const feature = <G extends Geometry>(geometry: G, properties: Properties = {}): Feature<G> => ({
  type: 'Feature',
  geometry,
  properties,
});

export const pointOf = ({ lon, lat }: { lon: number; lat: number }, properties?: Properties): Feature<Point> =>
  feature({ type: 'Point', coordinates: [lon, lat] }, properties);

export const lineOf = (coordinates: Position[], properties?: Properties): Feature<LineString> =>
  feature({ type: 'LineString', coordinates }, properties);
