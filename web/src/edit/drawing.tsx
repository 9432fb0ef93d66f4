/** Small drawings of geometries beside each other: no map library, so that there can be several. */
import type { Geometry, Position } from 'geojson';
import { boundsOf } from '../map/ground';

export interface Layer {
  /** Class of its strokes: `is-water`, `is-base`, `is-mine`, `is-theirs`, `is-given`. */
  look: string;
  geometries: readonly Geometry[];
}

const WIDTH = 320;

/** All layers in one frame; `fit` names those that must be seen whole, all unless given. */
export function Drawing({
  label,
  layers,
  fit,
  height = 200,
}: {
  label: string;
  layers: readonly Layer[];
  fit?: readonly string[];
  height?: number;
}) {
  const box = boundsOf(
    layers
      .filter((one) => !fit || fit.includes(one.look))
      .flatMap((one) => one.geometries.map((geometry) => ({ type: 'Feature' as const, properties: null, geometry }))),
  );
  if (!box) return null;
  const lat = (box[1] + box[3]) / 2;
  const kx = Math.max(0.05, Math.cos((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180));
  const [wide, high] = [Math.max((box[2] - box[0]) * kx, 1e-6), Math.max(box[3] - box[1], 1e-6)];
  const scale = Math.min((WIDTH - 24) / wide, (height - 24) / high);
  const place = ([x, y]: Position): [number, number] => [
    WIDTH / 2 + (x! - (box[0] + box[2]) / 2) * kx * scale,
    height / 2 - (y! - (box[1] + box[3]) / 2) * scale,
  ];
  return (
    <svg class="drawing" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={label}>
      {layers.map((layer) =>
        layer.geometries.map((geometry, i) => (
          <Shape key={`${layer.look}${i}`} look={layer.look} geometry={geometry} place={place} />
        )),
      )}
    </svg>
  );
}

function Shape({
  look,
  geometry,
  place,
}: {
  look: string;
  geometry: Geometry;
  place: (at: Position) => [number, number];
}) {
  if (geometry.type === 'GeometryCollection')
    return (
      <>
        {geometry.geometries.map((one, i) => (
          <Shape key={i} look={look} geometry={one} place={place} />
        ))}
      </>
    );
  const path = (line: Position[], isRing: boolean): string =>
    `M${line
      .map((at) =>
        place(at)
          .map((one) => one.toFixed(1))
          .join(' '),
      )
      .join('L')}${isRing ? 'Z' : ''}`;
  if (geometry.type === 'Point' || geometry.type === 'MultiPoint') {
    const points = geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
    return (
      <>
        {points.map((at, i) => {
          const [x, y] = place(at);
          return <circle key={i} class={`${look} is-point`} cx={x} cy={y} r={4} />;
        })}
      </>
    );
  }
  const text =
    geometry.type === 'LineString'
      ? path(geometry.coordinates, false)
      : geometry.type === 'MultiLineString'
        ? geometry.coordinates.map((line) => path(line, false)).join('')
        : geometry.type === 'Polygon'
          ? geometry.coordinates.map((one) => path(one, true)).join('')
          : geometry.coordinates.flatMap((rings) => rings.map((one) => path(one, true))).join('');
  const isArea = geometry.type === 'Polygon' || geometry.type === 'MultiPolygon';
  return <path class={`${look}${isArea ? ' is-area' : ''}`} d={text} fill-rule="evenodd" />;
}
