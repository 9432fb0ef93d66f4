/** Drawing of symbols in few words: paths, and how they are filled and outlined. */
export type Draw = (at: CanvasRenderingContext2D) => void;

export interface Ink {
  fill?: string;
  stroke?: string;
  width?: number;
  dash?: number[];
}

/** Fills and then outlines a path, or one written as in SVG; the pen is left without dashes. */
export function ink(at: CanvasRenderingContext2D, shape: Path2D | string, { fill, stroke, width, dash }: Ink): void {
  const path = typeof shape === 'string' ? new Path2D(shape) : shape;
  if (fill) {
    at.fillStyle = fill;
    at.fill(path);
  }
  if (!stroke) return;
  at.strokeStyle = stroke;
  at.lineWidth = width ?? 1;
  at.setLineDash(dash ?? []);
  at.stroke(path);
  at.setLineDash([]);
}

export function disc(x: number, y: number, r: number): Path2D {
  const path = new Path2D();
  path.arc(x, y, r, 0, Math.PI * 2);
  return path;
}

export function box(x: number, y: number, w: number, h: number, r = 0): Path2D {
  const path = new Path2D();
  path.roundRect(x, y, w, h, r);
  return path;
}

/** A regular shape of `corners`, the first at `from` radians; `reach` other than 1 makes a star of it. */
export function corners(n: number, r: number, from: number, reach = 1): Path2D {
  const path = new Path2D();
  for (let i = 0; i < n; i++) {
    const turn = from + (i * Math.PI * 2) / n;
    const far = i % 2 ? r * reach : r;
    path.lineTo(Math.cos(turn) * far, Math.sin(turn) * far);
  }
  path.closePath();
  return path;
}

/** One character in the middle of a symbol. */
export function letter(
  at: CanvasRenderingContext2D,
  sign: string,
  x: number,
  y: number,
  px: number,
  fill: string,
): void {
  at.fillStyle = fill;
  at.font = `700 ${px}px "Buoyline Bold"`;
  at.textAlign = 'center';
  at.fillText(sign, x, y);
}

/** Measures texts as the map draws them in bold, px. */
export function textWidths(size_px: number): (text: string) => number {
  const pen = document.createElement('canvas').getContext('2d')!;
  pen.font = `700 ${size_px}px "Buoyline Bold"`;
  const known = new Map<string, number>();
  return (text) => {
    let width = known.get(text);
    if (width === undefined) {
      if (known.size > 2000) known.clear();
      width = pen.measureText(text).width;
      known.set(text, width);
    }
    return width;
  };
}
