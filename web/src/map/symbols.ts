/** Every symbol of the map, drawn once a palette and pixel ratio at start-up. */
import type { Map as GlMap, StyleImageMetadata } from 'maplibre-gl';
import { addMarks, rounded } from './marksymbols';
import { colour, RAMP, type Palette } from './palette';

type Draw = (at: CanvasRenderingContext2D) => void;

export interface Symbol_ {
  name: string;
  width: number;
  height: number;
  draw: Draw;
  meta?: Pick<StyleImageMetadata, 'stretchX' | 'stretchY' | 'content'>;
}

export const CLASSES = ['motorboat', 'pwc', 'sailboat', 'nonmotorized', 'commercial', 'patrol', 'unknown'] as const;
export type BoatClass = (typeof CLASSES)[number];
export type BoatLook = 'way' | 'rest' | 'troll' | 'stale' | 'lost';

/** Name of a boat's symbol; `step` is its place on the speed ramp. */
export const boatSymbol = (kind: BoatClass, look: BoatLook, step: number): string =>
  look === 'stale' || look === 'lost' ? `boat-${kind}-${look}` : `boat-${kind}-${look}-${step}`;

export const classOf = (name: string | null | undefined): BoatClass =>
  (CLASSES as readonly string[]).includes(name ?? '') ? (name as BoatClass) : 'unknown';

/** The outline of a class, bow up, 24 px long, centred on (0, 0). */
function outline(kind: BoatClass): Path2D {
  const path = new Path2D();
  switch (kind) {
    case 'pwc':
      path.addPath(new Path2D('M0 -12 L6 10 L0 6.500 L-6 10 Z'));
      break;
    case 'sailboat':
      path.addPath(new Path2D('M0 -12 C6 -4 5.500 6 0 12 C-5.500 6 -6 -4 0 -12 Z'));
      break;
    case 'nonmotorized':
      path.addPath(new Path2D('M0 -12 C4 -5 4 5 0 12 C-4 5 -4 -5 0 -12 Z'));
      break;
    case 'commercial':
      path.addPath(new Path2D('M0 -12 L5.500 -6.500 L5.500 12 L-5.500 12 L-5.500 -6.500 Z'));
      break;
    case 'unknown':
      path.arc(0, 0, 6, 0, Math.PI * 2);
      break;
    default:
      path.addPath(new Path2D('M0 -12 C4.500 -7.500 6 -2 5.200 11 L-5.200 11 C-6 -2 -4.500 -7.500 0 -12 Z'));
  }
  return path;
}

function star(at: CanvasRenderingContext2D, r: number): void {
  at.beginPath();
  for (let i = 0; i < 10; i++) {
    const turn = (i * Math.PI) / 5 - Math.PI / 2;
    const reach = i % 2 ? r * 0.42 : r;
    at.lineTo(Math.cos(turn) * reach, Math.sin(turn) * reach + 2);
  }
  at.closePath();
  at.fill();
}

function drawBoat(kind: BoatClass, look: BoatLook, fill: string, palette: Palette): Draw {
  const ground = colour('surface', palette);
  return (at) => {
    at.translate(18, 18);
    at.lineJoin = 'round';
    const hull = outline(kind);
    const isHollow = look === 'rest' || look === 'stale' || look === 'lost';
    if (kind === 'unknown') {
      at.strokeStyle = ground;
      at.lineWidth = 5;
      at.stroke(new Path2D('M0 -6 L0 -13'));
    }
    at.strokeStyle = ground;
    at.lineWidth = isHollow ? 5.5 : 4;
    at.stroke(hull);
    at.fillStyle = isHollow ? ground : fill;
    at.fill(hull);
    at.strokeStyle = fill;
    at.fillStyle = fill;
    if (isHollow) {
      at.lineWidth = 1.9;
      if (look !== 'rest') at.setLineDash([3, 2.2]);
      at.stroke(hull);
      at.setLineDash([]);
    }
    if (kind === 'unknown') {
      at.lineWidth = 2;
      at.stroke(new Path2D('M0 -6 L0 -13'));
    }
    if (look === 'rest') {
      at.beginPath();
      at.arc(0, 1.5, 1.9, 0, Math.PI * 2);
      at.fill();
    }
    if (look === 'lost') {
      at.lineWidth = 3;
      at.stroke(new Path2D('M-12 5 L12 -5'));
    }
    at.fillStyle = isHollow ? fill : ground;
    at.strokeStyle = isHollow ? fill : ground;
    if (kind === 'patrol' && look !== 'rest') star(at, 4.6);
    if (kind === 'sailboat') {
      at.lineWidth = 1.3;
      at.stroke(new Path2D('M0 -6 L0 7'));
    }
    if (look === 'troll') {
      at.strokeStyle = fill;
      at.lineWidth = 1.5;
      at.stroke(new Path2D('M-3 12 L-4.500 17 M3 12 L4.500 17'));
    }
  };
}

const PLATE = {
  stretchX: [[10, 86]] as [number, number][],
  stretchY: [[8, 16]] as [number, number][],
  content: [7, 4, 89, 20] as [number, number, number, number],
};

/** All symbols of a palette. */
export function symbols(palette: Palette): Symbol_[] {
  const c = (token: Parameters<typeof colour>[0]): string => colour(token, palette);
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
    at.strokeStyle = c('surface');
    for (const width of [5.5, 2.6]) {
      at.lineWidth = width;
      at.stroke(new Path2D('M6 16 V6 H16 M44 6 H54 V16 M54 44 V54 H44 M16 54 H6 V44'));
      at.strokeStyle = c('select');
    }
  });
  for (const [name, width] of [
    ['halo-breach', 3],
    ['halo-thin', 1.5],
  ] as const) {
    add(name, 52, 52, (at) => {
      at.beginPath();
      at.arc(26, 26, 22, 0, Math.PI * 2);
      if (width === 3) {
        at.globalAlpha = 0.26;
        at.fillStyle = c('breach');
        at.fill();
        at.globalAlpha = 1;
      }
      at.strokeStyle = c('breach');
      at.lineWidth = width;
      at.stroke();
    });
  }
  add('halo-possible', 52, 52, (at) => {
    at.beginPath();
    at.arc(26, 26, 21, 0, Math.PI * 2);
    at.strokeStyle = c('possible');
    at.lineWidth = 2;
    at.setLineDash([6, 4.2]);
    at.stroke();
  });
  add(
    'plate-breach',
    96,
    24,
    (at) => {
      rounded(at, 0.5, 0.5, 95, 23, 5);
      at.fillStyle = c('breach');
      at.fill();
      at.strokeStyle = c('surface');
      at.lineWidth = 1;
      at.stroke();
    },
    PLATE,
  );
  add(
    'plate-possible',
    96,
    24,
    (at) => {
      rounded(at, 0, 0, 96, 24, 5);
      at.fillStyle = c('surface');
      at.fill();
      rounded(at, 1.5, 1.5, 93, 21, 4);
      at.fillStyle = c('possible_bg');
      at.fill();
      at.strokeStyle = c('possible');
      at.lineWidth = 1.7;
      at.setLineDash([7, 4]);
      at.stroke();
    },
    PLATE,
  );
  // Squares, so that no fault of the map is taken for a finding.
  add(
    'lint',
    24,
    24,
    (at) => {
      at.fillStyle = c('warn_bg');
      at.fillRect(1, 1, 22, 22);
      at.strokeStyle = c('warn');
      at.lineWidth = 2;
      at.strokeRect(1, 1, 22, 22);
    },
    { stretchX: [[6, 18]], stretchY: [[6, 18]], content: [4, 3, 20, 21] },
  );
  for (const kind of ['breach', 'possible'] as const) {
    add(`pin-${kind}`, 26, 26, (at) => {
      at.translate(13, 13);
      const isBreach = kind === 'breach';
      at.beginPath();
      if (isBreach)
        for (let i = 0; i < 8; i++)
          at.lineTo(Math.cos(((i + 0.5) * Math.PI) / 4) * 11, Math.sin(((i + 0.5) * Math.PI) / 4) * 11);
      else at.arc(0, 0, 10, 0, Math.PI * 2);
      at.closePath();
      at.fillStyle = isBreach ? c('breach') : c('possible_bg');
      at.fill();
      at.strokeStyle = isBreach ? c('surface') : c('possible');
      at.lineWidth = 1.7;
      if (!isBreach) at.setLineDash([4.5, 3]);
      at.stroke();
      at.fillStyle = isBreach ? c('on_breach') : c('possible');
      at.font = '700 14px "Buoyline Bold"';
      at.textAlign = 'center';
      at.fillText(isBreach ? '!' : '?', 0, 5);
    });
  }
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
