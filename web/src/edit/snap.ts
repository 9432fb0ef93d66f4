/** Where a point that is being set snaps to: corners, then edges, of what is drawn within 12 px; Alt lets go. */
import type { Position } from 'geojson';
import type { Map as GlMap } from 'maplibre-gl';
import { nearestOn } from '../map/ground';
import { corners } from './parts';
import { keyOf, selectedId, source, tool } from './state';

const REACH_PX = 12;

export function snapOn(map: GlMap) {
  return (event: { lng: number; lat: number; heldKeys: string[] }): Position | undefined => {
    if (event.heldKeys.includes('Alt')) return undefined;
    const at = map.project([event.lng, event.lat]);
    const near = new Set(
      map
        .queryRenderedFeatures([
          [at.x - REACH_PX, at.y - REACH_PX],
          [at.x + REACH_PX, at.y + REACH_PX],
        ])
        .filter((one) => one.source === 'zones' && !one.properties.derived)
        .map((one) => String(one.properties._id)),
    );
    // Areas are hit beside their edge too; what is dragged does not snap to itself.
    const isDragging = tool.peek() === 'select';
    const found = (source.peek()?.features ?? []).filter(
      (one, i) => near.has(keyOf(one, i)) && !(isDragging && keyOf(one, i) === selectedId.peek()),
    );
    const reach = (place: Position): number => {
      const there = map.project([place[0]!, place[1]!]);
      return Math.hypot(there.x - at.x, there.y - at.y);
    };
    let best: Position | undefined;
    let least = REACH_PX;
    for (const { geometry } of found) {
      for (const corner of geometry ? corners(geometry) : []) {
        const gap = reach(corner.at);
        if (gap < least) [least, best] = [gap, corner.at];
      }
    }
    if (best) return best.slice(0, 2);
    for (const { geometry } of found) {
      const place = geometry && nearestOn(geometry, [event.lng, event.lat]);
      const gap = place ? reach(place) : Infinity;
      if (place && gap < least) [least, best] = [gap, place];
    }
    return best && [Number(best[0]!.toFixed(7)), Number(best[1]!.toFixed(7))];
  };
}
