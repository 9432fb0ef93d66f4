/**
 * Buoy lines as the rule would draw them, from buoy to buoy in their order, where a declared line stands for them and runs
 * another way: whoever edits either should see that they differ. The declared one is what holds.
 */
import { computed } from '@preact/signals';
import type { Feature, FeatureCollection, LineString, Position } from 'geojson';
import { distance, nearestOn } from '../map/ground';
import { buoysOf, lineOf } from './order';
import { source } from './state';

/** Buoys this near a declared line are its own, metres; so the daemon has it. */
const ON_LINE_M = 25;
/** Lines nearer than this are the same line, metres. */
const SAME_M = 1;

const isDeclared = (feature: Feature): boolean =>
  feature.properties?.kind === 'buoy_line' && /^(Multi)?LineString$/.test(feature.geometry?.type ?? '');

/** How far the farthest of `places` is from the lines of `features`, metres. */
function farthest(places: readonly Position[], features: readonly Pick<Feature, 'geometry'>[]): number {
  const gap = (at: Position): number =>
    Math.min(
      ...features.map(({ geometry }) => {
        const near = geometry && nearestOn(geometry, at);
        return near ? distance(near, at) : Infinity;
      }),
    );
  return Math.max(...places.map(gap));
}

export function ruleLines(map: FeatureCollection | null): LineString[] {
  const declared = (map?.features ?? []).filter(isDeclared);
  if (!declared.length) return [];
  const names = new Set((map?.features ?? []).map(lineOf).filter((name) => name !== null));
  return [...names].flatMap((name): LineString[] => {
    const coordinates = buoysOf(map, name).map((one) => one.at);
    if (coordinates.length < 2) return [];
    const named = declared.filter((one) => name !== '' && one.properties?.line === name);
    if (!named.length && farthest(coordinates, declared) > ON_LINE_M) return [];
    const byRule: LineString = { type: 'LineString', coordinates };
    const standing = named.length ? named : declared.filter((one) => farthest(coordinates, [one]) <= ON_LINE_M);
    const corners = standing.flatMap(({ geometry }) =>
      geometry.type === 'LineString'
        ? geometry.coordinates
        : geometry.type === 'MultiLineString'
          ? geometry.coordinates.flat()
          : [],
    );
    const isSame =
      farthest(coordinates, standing.length ? standing : declared) <= SAME_M &&
      farthest(corners, [{ geometry: byRule }]) <= SAME_M;
    return isSame ? [] : [byRule];
  });
}

/** Those of the draft. */
export const linesByRule = computed(() => ruleLines(source.value));
