/** Symbols of what lies in the water and on the shore: buoys, flags, swimmers, ramps, skiers, chevrons. */
import { box, disc, ink, letter, type Draw } from './ink';
import type { Token } from './palette';

export function addMarks(
  add: (name: string, w: number, h: number, draw: Draw) => void,
  c: (token: Token) => string,
): void {
  // The US "controlled area" mark: white can, two orange bands, orange circle.
  add('safety_buoy', 18, 24, (at) => {
    ink(at, box(3, 3, 12, 18, 2), { fill: c('surface'), stroke: c('limit'), width: 1.5 });
    ink(at, box(3, 5, 12, 2.6), { fill: c('limit') });
    ink(at, box(3, 16.5, 12, 2.6), { fill: c('limit') });
    ink(at, disc(9, 12, 2.5), { stroke: c('limit'), width: 1.5 });
  });
  add('mooring_buoy', 16, 16, (at) => {
    ink(at, disc(8, 8, 5.5), { fill: c('surface') });
    ink(at, box(2.5, 6.5, 11, 3), { fill: c('r1') });
    ink(at, disc(8, 8, 5.5), { stroke: c('shore'), width: 1.3 });
  });
  add('dive_flag', 30, 40, (at) => {
    ink(at, 'M6 38 V3', { stroke: c('hull'), width: 2 });
    ink(at, box(7, 3, 20, 15), { fill: c('breach') });
    ink(at, 'M8 4 L26 17', { stroke: c('on_breach'), width: 3.6 });
    ink(at, box(7, 3, 20, 15), { stroke: c('surface'), width: 1.2 });
  });
  const swimmer = (at: CanvasRenderingContext2D): void => {
    const line = { stroke: c('swim'), width: 1.8 };
    at.lineCap = 'round';
    ink(at, disc(17, 9, 2.3), { fill: c('swim') });
    ink(at, 'M5 13 L11 8.500 L15 13 M3 17 c2 -1.800 4 -1.800 6 0 s4 1.800 6 0 s4 -1.800 6 0', line);
  };
  add('swim_area', 24, 24, swimmer);
  add('swimmer', 32, 32, (at) => {
    ink(at, disc(16, 16, 14), { fill: c('surface'), stroke: c('swim'), width: 1.8 });
    at.translate(4, 4);
    swimmer(at);
  });
  const wood = { fill: c('surface'), stroke: c('dock'), width: 1.8 };
  add('launch_ramp', 22, 22, (at) => {
    ink(at, box(2, 2, 18, 18, 4), wood);
    ink(at, 'M6 15 H16 M6 14 L15 7', { stroke: c('dock'), width: 1.6 });
  });
  add('float', 16, 16, (at) => ink(at, box(3, 3, 10, 10), wood));
  add('ski_dock', 16, 16, (at) => {
    ink(at, box(3, 3, 10, 10), wood);
    ink(at, 'M3 8 H13', { stroke: c('dock'), width: 1.8 });
  });
  add('chevron', 18, 18, (at) => ink(at, 'M4 12 L9 6 L14 12', { stroke: c('circ'), width: 1.9 }));
  add('unlit', 14, 14, (at) => {
    ink(at, disc(7, 5.5, 3.5), { stroke: c('dock'), width: 1.4 });
    ink(at, 'M5.500 11 H8.500', { stroke: c('dock'), width: 1.4 });
  });
  add('permit-dot', 14, 14, (at) => ink(at, disc(7, 7, 3.4), { fill: c('permit'), stroke: c('surface'), width: 1.4 }));
  add('tow', 16, 40, (at) => {
    ink(at, 'M8 16 V31', { stroke: c('hull'), width: 1.4, dash: [3, 2] });
    ink(at, disc(8, 34, 3.4), { fill: c('surface'), stroke: c('hull'), width: 1.4 });
  });
  add('skier', 18, 18, (at) => ink(at, disc(9, 9, 5.5), { fill: c('hull'), stroke: c('hull'), width: 1.7 }));
  add('skier-estimated', 18, 18, (at) =>
    ink(at, disc(9, 9, 5.5), { fill: c('surface'), stroke: c('hull'), width: 1.7, dash: [3, 2.2] }),
  );
  // Findings gained, lost, with other odds under another law: squares with their sign.
  for (const [name, sign] of [
    ['pin-gained', '+'],
    ['pin-lost', '−'],
    ['pin-other', '~'],
  ] as const) {
    const [ground, lines] = sign === '+' ? [c('hull'), c('surface')] : [c('surface'), c('hull')];
    add(name, 24, 24, (at) => {
      ink(at, box(2, 2, 20, 20, 4), { fill: ground, stroke: lines, width: 1.8, dash: sign === '−' ? [4, 3] : [] });
      letter(at, sign, 12, 18, 17, lines);
    });
  }
  add('refused', 12, 12, (at) =>
    ink(at, 'M2.500 2.500 L9.500 9.500 M9.500 2.500 L2.500 9.500', { stroke: c('stale'), width: 1.7 }),
  );
}
