/**
 * The first picture: zones and boats drawn by the page itself, in the place where the map library will draw them. The
 * library takes seconds on a poor line; where the boats are and what the water is need not wait for it.
 */
import type { Feature, Position } from 'geojson';
import { useEffect, useRef } from 'preact/hooks';
import { ageClass, boats, boatsVersion } from '../store/boats';
import { acrossOf, downOf, linesOf, worldPx } from './ground';
import { colour, palette, RAMP, type Palette, type Token } from './palette';
import type { Zones } from './zones';

interface Stroke {
  /** `derived` or `kind` of the features. */
  of: readonly string[];
  fill?: Token;
  line?: Token;
  width?: number;
  dash?: number[];
  /** Of the fill. */
  opacity?: number;
}

/** Bottom to top, as the base map has them. */
const STROKES: readonly Stroke[] = [
  { of: ['water'], fill: 'water' },
  { of: ['inshore'], fill: 'inshore' },
  { of: ['speed_zone'], fill: 'limit', opacity: 0.1 },
  { of: ['strip'], fill: 'strip', line: 'limit', width: 1 },
  { of: ['swim_area'], fill: 'swim_fill', line: 'swim', width: 1.6, dash: [5, 3] },
  { of: ['water', 'shoreline'], line: 'shore', width: 1.8 },
  { of: ['buoy_line'], line: 'limit', width: 2 },
  { of: ['speed_zone'], line: 'limit', width: 1.6, dash: [8, 3] },
  { of: ['dock', 'launch_ramp'], fill: 'dock', line: 'dock', width: 1.4 },
  { of: ['safety_buoy'], fill: 'surface', line: 'limit', width: 2 },
];
const POINT_PX = 4;

/** What part of the world is in view: the corner of the picture in pixels of the whole world, and the world's width. */
export interface View {
  left: number;
  top: number;
  world_px: number;
}

export function viewAt(box: HTMLElement, lon: number, lat: number, zoom: number): View {
  const world_px = worldPx(zoom);
  return {
    left: acrossOf(lon) * world_px - box.clientWidth / 2,
    top: downOf(lat) * world_px - box.clientHeight / 2,
    world_px,
  };
}

/** All of `bounds`, with room for what lies over the map. */
export function viewOf(
  box: HTMLElement,
  [west, south, east, north]: [number, number, number, number],
  room: { top: number; bottom: number; left: number; right: number },
  maxZoom: number,
): View {
  const [x0, x1, y0, y1] = [acrossOf(west), acrossOf(east), downOf(north), downOf(south)];
  const [wide, high] = [box.clientWidth - room.left - room.right, box.clientHeight - room.top - room.bottom];
  const world_px = Math.min(wide / (x1 - x0), high / (y1 - y0), worldPx(maxZoom));
  return {
    left: ((x0 + x1) / 2) * world_px - room.left - wide / 2,
    top: ((y0 + y1) / 2) * world_px - room.top - high / 2,
    world_px,
  };
}

export function Sketch({
  zones,
  viewFor,
  hasBoats,
}: {
  zones: Zones;
  viewFor: (box: HTMLElement) => View | null;
  hasBoats: boolean;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shades = palette.value;
  const version = hasBoats ? boatsVersion.value : 0;
  useEffect(() => {
    const sheet = canvas.current;
    const view = sheet && viewFor(sheet);
    const pen = sheet?.getContext('2d');
    if (!sheet || !view || !pen) return;
    const ratio = Math.min(3, devicePixelRatio);
    sheet.width = sheet.clientWidth * ratio;
    sheet.height = sheet.clientHeight * ratio;
    pen.scale(ratio, ratio);
    pen.lineJoin = 'round';
    for (const stroke of STROKES) drawStroke(pen, stroke, zones.features, view, shades);
    if (hasBoats) drawBoats(pen, view, shades);
  }, [zones, shades, version]);
  return <canvas class="map-sketch" ref={canvas} aria-hidden="true" />;
}

function drawStroke(
  pen: CanvasRenderingContext2D,
  { of, fill, line, width, dash, opacity }: Stroke,
  features: readonly Feature[],
  { left, top, world_px }: View,
  shades: Palette,
): void {
  const path = new Path2D();
  const place = ([lon, lat]: Position): [number, number] => [
    acrossOf(lon!) * world_px - left,
    downOf(lat!) * world_px - top,
  ];
  for (const { geometry, properties } of features) {
    if (!of.includes(String(properties?.derived || properties?.kind))) continue;
    if (geometry.type === 'Point') {
      const [x, y] = place(geometry.coordinates);
      path.moveTo(x + POINT_PX, y);
      path.arc(x, y, POINT_PX, 0, 2 * Math.PI);
    }
    for (const corners of linesOf(geometry)) {
      corners.forEach((corner, i) => (i ? path.lineTo(...place(corner)) : path.moveTo(...place(corner))));
    }
  }
  if (fill) {
    pen.globalAlpha = opacity ?? 1;
    pen.fillStyle = colour(fill, shades);
    pen.fill(path, 'evenodd');
    pen.globalAlpha = 1;
  }
  if (!line) return;
  pen.strokeStyle = colour(line, shades);
  pen.lineWidth = width ?? 1;
  pen.setLineDash(dash ?? []);
  pen.stroke(path);
}

/** Discs at the last fixes, by speed against the limit; those that have not been heard for long are hollow. */
function drawBoats(pen: CanvasRenderingContext2D, { left, top, world_px }: View, shades: Palette): void {
  pen.setLineDash([]);
  pen.lineWidth = 2;
  for (const boat of boats.values()) {
    const ageing = ageClass(boat);
    if (ageing === 'gone') continue;
    const shade = ageing === 'fresh' ? colour(RAMP[boat.step]!, shades) : colour('stale', shades);
    pen.beginPath();
    pen.arc(acrossOf(boat.lon) * world_px - left, downOf(boat.lat) * world_px - top, 6, 0, 2 * Math.PI);
    pen.fillStyle = ageing === 'fresh' ? shade : colour('surface', shades);
    pen.strokeStyle = ageing === 'fresh' ? colour('surface', shades) : shade;
    pen.fill();
    pen.stroke();
  }
}
