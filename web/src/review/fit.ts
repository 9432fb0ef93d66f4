/** What the map of a review shows at first. */
import { boundsOf } from '../map/ground';
import { fitAll, shownMap } from '../map/view';
import { zones } from '../map/zones';
import { chosenOne, chosenTracks } from './state';

/** The finding from near, else the whole tracks of the chosen boats. */
export function fitTracks(): void {
  const handle = shownMap.value;
  const finding = chosenOne.value;
  if (!handle) return;
  if (finding) {
    handle.map.jumpTo({ center: [finding.peak.lon, finding.peak.lat], zoom: 17 });
    return;
  }
  const bounds = boundsOf(
    chosenTracks.value.map(({ vessel }) => ({
      type: 'Feature' as const,
      properties: {},
      geometry: {
        type: 'MultiPoint' as const,
        coordinates: vessel.fixes.lon.map((lon, i) => [lon, vessel.fixes.lat[i]!]),
      },
    })),
  );
  // Without a fix: the whole water.
  const shown = bounds ?? zones.value?.bounds;
  if (shown) fitAll(handle.map, shown, false);
}
