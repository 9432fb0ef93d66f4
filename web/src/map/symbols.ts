/** Every symbol of the map, drawn once a palette and pixel ratio at start-up. */
import type { Map as GlMap, StyleImageMetadata } from 'maplibre-gl';
import { box, corners, disc, ink, letter, type Draw } from './ink';
import { addMarks } from './marksymbols';
import { colour, RAMP, type Palette, type Token } from './palette';
import { PLACES } from './plates';

export interface Symbol_ {
  name: string;
  width: number;
  height: number;
  draw: Draw;
  meta?: Pick<StyleImageMetadata, 'stretchX' | 'stretchY' | 'content'>;
}

export const CLASSES = [
  'motorboat',
  'pwc',
  'sailboat',
  'nonmotorized',
  'commercial',
  'patrol',
  'unknown',
  'round',
] as const;
export type BoatClass = (typeof CLASSES)[number];
export type BoatLook = 'way' | 'rest' | 'troll' | 'stale' | 'lost';

/** Name of a boat's symbol; `step` is its place on the speed ramp. */
export const boatSymbol = (kind: BoatClass, look: BoatLook, step: number): string =>
  look === 'stale' || look === 'lost' ? `boat-${kind}-${look}` : `boat-${kind}-${look}-${step}`;

export const classOf = (name: string | null | undefined): BoatClass =>
  (CLASSES as readonly string[]).includes(name ?? '') ? (name as BoatClass) : 'unknown';

/** The outline of a class, bow up, 24 px long, centred on (0, 0). */
const OUTLINE: Record<BoatClass, string> = {
  motorboat: 'M0 -12 C4.500 -7.500 6 -2 5.200 11 L-5.200 11 C-6 -2 -4.500 -7.500 0 -12 Z',
  patrol: 'M0 -12 C4.500 -7.500 6 -2 5.200 11 L-5.200 11 C-6 -2 -4.500 -7.500 0 -12 Z',
  pwc: 'M0 -12 L6 10 L0 6.500 L-6 10 Z',
  sailboat: 'M0 -12 C6 -4 5.500 6 0 12 C-5.500 6 -6 -4 0 -12 Z',
  nonmotorized: 'M0 -12 C4 -5 4 5 0 12 C-4 5 -4 -5 0 -12 Z',
  commercial: 'M0 -12 L5.500 -6.500 L5.500 12 L-5.500 12 L-5.500 -6.500 Z',
  unknown: 'M6 0 A6 6 0 1 1 -6 0 A6 6 0 1 1 6 0 Z',
  // Of any class, where nothing says which way it looks.
  round: 'M6 0 A6 6 0 1 1 -6 0 A6 6 0 1 1 6 0 Z',
};
/** The course line of a boat whose shape is not known. */
const COURSE = 'M0 -6 L0 -13';

function drawBoat(kind: BoatClass, look: BoatLook, colour_: string, palette: Palette): Draw {
  const ground = colour('surface', palette);
  return (at) => {
    at.translate(18, 18);
    at.lineJoin = 'round';
    const isHollow = look === 'rest' || look === 'stale' || look === 'lost';
    const hull = OUTLINE[kind];
    // The casing first, so that a boat stands out on any ground.
    if (kind === 'unknown') ink(at, COURSE, { stroke: ground, width: 5 });
    ink(at, hull, { stroke: ground, width: isHollow ? 5.5 : 4 });
    ink(at, hull, {
      fill: isHollow ? ground : colour_,
      stroke: isHollow ? colour_ : undefined,
      width: 1.9,
      dash: look === 'rest' ? [] : [3, 2.2],
    });
    if (kind === 'unknown') ink(at, COURSE, { stroke: colour_, width: 2 });
    if (look === 'rest') ink(at, disc(0, 1.5, 1.9), { fill: colour_ });
    if (look === 'lost') ink(at, 'M-12 5 L12 -5', { stroke: colour_, width: 3 });
    if (look === 'troll') ink(at, 'M-3 12 L-4.500 17 M3 12 L4.500 17', { stroke: colour_, width: 1.5 });
    const inner = isHollow ? colour_ : ground;
    if (kind === 'sailboat') ink(at, 'M0 -6 L0 7', { stroke: inner, width: 1.3 });
    if (kind === 'patrol' && look !== 'rest') {
      at.translate(0, 2);
      ink(at, corners(10, 4.6, -Math.PI / 2, 0.42), { fill: inner });
    }
  };
}

/** Name of the line from a boat to its plate. */
export const leaderSymbol = (of: 'breach' | 'possible' | 'hull', place: number): string => `leader-${of}-${place}`;

const PLATE = {
  stretchX: [[10, 86]] as [number, number][],
  stretchY: [[8, 16]] as [number, number][],
  content: [7, 4, 89, 20] as [number, number, number, number],
};

/** All symbols of a palette. */
export function symbols(palette: Palette): Symbol_[] {
  const c = (token: Token): string => colour(token, palette);
  const list: Symbol_[] = [];
  const add = (name: string, width: number, height: number, draw: Draw, meta?: Symbol_['meta']): void => {
    list.push({ name, width, height, draw, meta });
  };
  for (const kind of CLASSES) {
    for (let step = 0; step < RAMP.length; step++) {
      for (const look of ['way', 'rest', 'troll'] as const) {
        add(boatSymbol(kind, look, step), 36, 36, drawBoat(kind, look, c(RAMP[step]!), palette));
      }
    }
    for (const look of ['stale', 'lost'] as const)
      add(boatSymbol(kind, look, 0), 36, 36, drawBoat(kind, look, c('stale'), palette));
  }
  add('brackets', 60, 60, (at) => {
    const path = 'M6 16 V6 H16 M44 6 H54 V16 M54 44 V54 H44 M16 54 H6 V44';
    ink(at, path, { stroke: c('surface'), width: 5.5 });
    ink(at, path, { stroke: c('select'), width: 2.6 });
  });
  add('halo-breach', 52, 52, (at) => {
    at.globalAlpha = 0.26;
    ink(at, disc(26, 26, 22), { fill: c('breach') });
    at.globalAlpha = 1;
    ink(at, disc(26, 26, 22), { stroke: c('breach'), width: 3 });
  });
  add('halo-thin', 52, 52, (at) => ink(at, disc(26, 26, 22), { stroke: c('breach'), width: 1.5 }));
  add('halo-possible', 52, 52, (at) => ink(at, disc(26, 26, 21), { stroke: c('possible'), width: 2, dash: [6, 4.2] }));
  add(
    'plate-breach',
    96,
    24,
    (at) => ink(at, box(0.5, 0.5, 95, 23, 5), { fill: c('breach'), stroke: c('surface') }),
    PLATE,
  );
  add(
    'plate-possible',
    96,
    24,
    (at) => {
      ink(at, box(0, 0, 96, 24, 5), { fill: c('surface') });
      ink(at, box(1.5, 1.5, 93, 21, 4), { fill: c('possible_bg'), stroke: c('possible'), width: 1.7, dash: [7, 4] });
    },
    PLATE,
  );
  PLACES.forEach(({ dx, dy }, place) => {
    // As wide both ways, so that its middle is the boat.
    const [half_w, half_h] = [Math.abs(dx) + 4, Math.abs(dy) + 4];
    for (const of of ['breach', 'possible', 'hull'] as const) {
      add(leaderSymbol(of, place), 2 * half_w, 2 * half_h, (at) => {
        const path = `M${half_w} ${half_h} l${dx} ${dy}`;
        ink(at, path, { stroke: c('surface'), width: 4 });
        ink(at, path, { stroke: c(of), width: 2, dash: of === 'possible' ? [5, 3] : [] });
      });
    }
  });
  // Squares, so that no fault of the map is taken for a finding.
  add('lint', 24, 24, (at) => ink(at, box(1, 1, 22, 22), { fill: c('warn_bg'), stroke: c('warn'), width: 2 }), {
    stretchX: [[6, 18]],
    stretchY: [[6, 18]],
    content: [4, 3, 20, 21],
  });
  add('pin-breach', 26, 26, (at) => {
    at.translate(13, 13);
    ink(at, corners(8, 11, Math.PI / 8), { fill: c('breach'), stroke: c('surface'), width: 1.7 });
    letter(at, '!', 0, 5, 14, c('on_breach'));
  });
  add('pin-possible', 26, 26, (at) => {
    ink(at, disc(13, 13, 10), { fill: c('possible_bg'), stroke: c('possible'), width: 1.7, dash: [4.5, 3] });
    letter(at, '?', 13, 18, 14, c('possible'));
  });
  addMarks(add, c);
  return list;
}

function paint(symbol: Symbol_, ratio: number): ImageData {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(symbol.width * ratio);
  canvas.height = Math.round(symbol.height * ratio);
  const at = canvas.getContext('2d', { willReadFrequently: true })!;
  at.scale(ratio, ratio);
  symbol.draw(at);
  return at.getImageData(0, 0, canvas.width, canvas.height);
}

/** Gives the map all symbols of a palette; a second time it repaints them in place. */
export function addSymbols(map: GlMap, palette: Palette): void {
  const ratio = Math.min(3, Math.max(1, Math.ceil(devicePixelRatio)));
  const times = (spans?: [number, number][]): [number, number][] | undefined =>
    spans?.map(([a, b]) => [a * ratio, b * ratio]);
  for (const symbol of symbols(palette)) {
    const image = paint(symbol, ratio);
    if (map.hasImage(symbol.name)) map.updateImage(symbol.name, image);
    else {
      map.addImage(symbol.name, image, {
        pixelRatio: ratio,
        stretchX: times(symbol.meta?.stretchX),
        stretchY: times(symbol.meta?.stretchY),
        content: symbol.meta?.content?.map((edge) => edge * ratio) as [number, number, number, number] | undefined,
      });
    }
  }
}
