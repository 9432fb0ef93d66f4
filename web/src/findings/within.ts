/** An area as it stands in a link: "lat,lon;lat,lon;lat,lon". */
import { feature } from '../map/features';
import { isWithin } from '../map/ground';

export type Corner = [lon: number, lat: number];

/** The corners of a text, at least three; null where it says no area. */
export function cornersOf(text: string): Corner[] | null {
  const corners: Corner[] = [];
  for (const pair of text.split(';')) {
    if (!pair.trim()) continue;
    const [lat, lon, ...more] = pair.split(',').map((part) => (part.trim() ? Number(part) : NaN));
    if (lat === undefined || lon === undefined || more.length) return null;
    if (!(Math.abs(lat) <= 90) || !(Math.abs(lon) <= 180)) return null;
    corners.push([lon, lat]);
  }
  return corners.length >= 3 ? corners : null;
}

/** Five digits: a metre. */
export const textOf = (corners: readonly Corner[]): string =>
  corners.map(([lon, lat]) => `${lat.toFixed(5)},${lon.toFixed(5)}`).join(';');

/** Whether a place lies in the area of a text; one that says none has all places in it. */
export function isInArea(text: string, { lon, lat }: { lon: number; lat: number }): boolean {
  const corners = cornersOf(text);
  return !corners || isWithin(feature({ type: 'Polygon', coordinates: [[...corners, corners[0]!]] }), [lon, lat]);
}
