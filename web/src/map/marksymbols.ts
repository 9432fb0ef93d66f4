/** Symbols of what lies in the water and on the shore: buoys, flags, swimmers, ramps, skiers, chevrons. */
import type { colour } from './palette';

type Draw = (at: CanvasRenderingContext2D) => void;

export function rounded(at: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, r: number): void {
  at.beginPath();
  at.roundRect(x, y, w, h, r);
}

export function addMarks(
  add: (name: string, w: number, h: number, draw: Draw) => void,
  c: (token: Parameters<typeof colour>[0]) => string,
): void {
  // The US "controlled area" mark: white can, two orange bands, orange circle.
  add('safety_buoy', 18, 24, (at) => {
    at.fillStyle = c('surface');
    at.strokeStyle = c('limit');
    at.lineWidth = 1.5;
    rounded(at, 3, 3, 12, 18, 2);
    at.fill();
    at.stroke();
    at.fillStyle = c('limit');
    at.fillRect(3, 5, 12, 2.6);
    at.fillRect(3, 16.5, 12, 2.6);
    at.beginPath();
    at.arc(9, 12, 2.5, 0, Math.PI * 2);
    at.stroke();
  });
  add('mooring_buoy', 16, 16, (at) => {
    at.beginPath();
    at.arc(8, 8, 5.5, 0, Math.PI * 2);
    at.fillStyle = c('surface');
    at.fill();
    at.fillStyle = c('r1');
    at.fillRect(2.5, 6.5, 11, 3);
    at.strokeStyle = c('shore');
    at.lineWidth = 1.3;
    at.stroke();
  });
  add('dive_flag', 30, 40, (at) => {
    at.strokeStyle = c('hull');
    at.lineWidth = 2;
    at.stroke(new Path2D('M6 38 V3'));
    at.fillStyle = c('breach');
    at.fillRect(7, 3, 20, 15);
    at.strokeStyle = c('on_breach');
    at.lineWidth = 3.6;
    at.stroke(new Path2D('M8 4 L26 17'));
    at.strokeStyle = c('surface');
    at.lineWidth = 1.2;
    at.strokeRect(7, 3, 20, 15);
  });
  const swimmer = (at: CanvasRenderingContext2D): void => {
    at.strokeStyle = c('swim');
    at.fillStyle = c('swim');
    at.lineWidth = 1.8;
    at.lineCap = 'round';
    at.beginPath();
    at.arc(17, 9, 2.3, 0, Math.PI * 2);
    at.fill();
    at.stroke(new Path2D('M5 13 L11 8.500 L15 13 M3 17 c2 -1.800 4 -1.800 6 0 s4 1.800 6 0 s4 -1.800 6 0'));
  };
  add('swim_area', 24, 24, swimmer);
  add('swimmer', 32, 32, (at) => {
    at.beginPath();
    at.arc(16, 16, 14, 0, Math.PI * 2);
    at.fillStyle = c('surface');
    at.fill();
    at.strokeStyle = c('swim');
    at.lineWidth = 1.8;
    at.stroke();
    at.translate(4, 4);
    swimmer(at);
  });
  add('launch_ramp', 22, 22, (at) => {
    rounded(at, 2, 2, 18, 18, 4);
    at.fillStyle = c('surface');
    at.fill();
    at.strokeStyle = c('dock');
    at.lineWidth = 1.6;
    at.stroke();
    at.stroke(new Path2D('M6 15 H16 M6 14 L15 7'));
  });
  for (const kind of ['float', 'ski_dock'] as const) {
    add(kind, 16, 16, (at) => {
      at.fillStyle = c('surface');
      at.fillRect(3, 3, 10, 10);
      at.strokeStyle = c('dock');
      at.lineWidth = 1.8;
      at.strokeRect(3, 3, 10, 10);
      if (kind === 'ski_dock') at.stroke(new Path2D('M3 8 H13'));
    });
  }
  add('chevron', 18, 18, (at) => {
    at.strokeStyle = c('circ');
    at.lineWidth = 1.9;
    at.stroke(new Path2D('M4 12 L9 6 L14 12'));
  });
  add('unlit', 14, 14, (at) => {
    at.strokeStyle = c('dock');
    at.lineWidth = 1.4;
    at.beginPath();
    at.arc(7, 5.5, 3.5, 0, Math.PI * 2);
    at.stroke();
    at.stroke(new Path2D('M5.500 11 H8.500'));
  });
  add('permit-dot', 14, 14, (at) => {
    at.beginPath();
    at.arc(7, 7, 3.4, 0, Math.PI * 2);
    at.fillStyle = c('permit');
    at.fill();
    at.strokeStyle = c('surface');
    at.lineWidth = 1.4;
    at.stroke();
  });
  add('tow', 16, 40, (at) => {
    at.strokeStyle = c('hull');
    at.fillStyle = c('surface');
    at.lineWidth = 1.4;
    at.setLineDash([3, 2]);
    at.stroke(new Path2D('M8 16 V31'));
    at.setLineDash([]);
    at.beginPath();
    at.arc(8, 34, 3.4, 0, Math.PI * 2);
    at.fill();
    at.stroke();
  });
  for (const isEstimated of [true, false]) {
    add(isEstimated ? 'skier-estimated' : 'skier', 18, 18, (at) => {
      at.beginPath();
      at.arc(9, 9, 5.5, 0, Math.PI * 2);
      at.fillStyle = isEstimated ? c('surface') : c('hull');
      at.fill();
      at.strokeStyle = c('hull');
      at.lineWidth = 1.7;
      if (isEstimated) at.setLineDash([3, 2.2]);
      at.stroke();
    });
  }
  add('refused', 12, 12, (at) => {
    at.strokeStyle = c('stale');
    at.lineWidth = 1.7;
    at.stroke(new Path2D('M2.500 2.500 L9.500 9.500 M9.500 2.500 L2.500 9.500'));
  });
}
