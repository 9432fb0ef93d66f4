/** A line or area drawn under the fixed cross of the phone, point by point. */
import { signal } from '@preact/signals';
import type { Feature, Position } from 'geojson';
import type { Tool } from './state';

export const sketch = signal<Position[]>([]);

/** How many points a shape needs. */
export const leastOf = (tool: Tool): number => (tool === 'area' ? 3 : tool === 'line' || tool === 'split' ? 2 : 1);

/** The shape of the points so far. */
export function shapeOf(tool: Tool, points: readonly Position[]): Feature {
  return {
    type: 'Feature',
    properties: {},
    geometry:
      tool === 'area'
        ? { type: 'Polygon', coordinates: [[...points, points[0]!]] }
        : tool === 'point'
          ? { type: 'Point', coordinates: points.at(-1)! }
          : { type: 'LineString', coordinates: [...points] },
  };
}
