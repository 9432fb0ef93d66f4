// A made-up lake for work on the console without a daemon: outline, docks, buoys, and boats that go round.
const LAT = 47.6494,
  LON = -117.0783;
const NORTH = 111195,
  EAST = NORTH * Math.cos((LAT * Math.PI) / 180);
const STRIP = 15.24;
export const place = (x, y) => [+(LON + x / EAST).toFixed(7), +(LAT + y / NORTH).toFixed(7)];

const outline = (grow = 0) => {
  const ring = [];
  for (let i = 0; i < 180; i++) {
    const a = (i * Math.PI) / 90;
    const r = 1 + 0.1 * Math.sin(3 * a + 1) + 0.06 * Math.sin(5 * a) + 0.03 * Math.sin(9 * a + 2);
    ring.push([(980 * r + grow) * Math.cos(a), (520 * r + grow) * Math.sin(a)]);
  }
  return [...ring, ring[0]];
};
const circle = (x, y, r, n = 40) =>
  Array.from({ length: n + 1 }, (_, i) => [
    x + r * Math.cos((i * 2 * Math.PI) / n),
    y + r * Math.sin((i * 2 * Math.PI) / n),
  ]);
const ring = (list) => list.map(([x, y]) => place(x, y));
const shore = outline();
const island = circle(230, 10, 60, 24).map(([x, y], i) => [x * 1 + 14 * Math.sin(i), y]);
const feature = (id, properties, type, coordinates) => ({
  type: 'Feature',
  id,
  properties,
  geometry: { type, coordinates },
});

export const docks = Array.from({ length: 30 }, (_, i) => {
  const at = 3 + i * 6;
  const [x, y] = shore[at];
  const d = Math.hypot(x, y);
  const [ux, uy] = [-x / d, -y / d];
  const [px, py] = [-uy * 1.6, ux * 1.6];
  return {
    id: `D-${i + 1}`,
    tip: [x + ux * 18, y + uy * 18],
    corners: [
      [x + px, y + py],
      [x + px + ux * 18, y + py + uy * 18],
      [x - px + ux * 18, y - py + uy * 18],
      [x - px, y - py],
      [x + px, y + py],
    ],
  };
});
const buoys = Array.from({ length: 9 }, (_, i) => [-480 + i * 52, 380 + 28 * Math.sin(i / 2)]);
const shoreAbove = shore.filter(([x, y]) => y > 0 && x > -490 && x < -55).sort((a, b) => b[0] - a[0]);

export function map() {
  const features = [
    feature('cedar-lake', { kind: 'waterway', name: 'Cedar Lake' }, 'Polygon', [ring(shore), ring(island).reverse()]),
    feature('derived-water', { derived: 'water' }, 'Polygon', [ring(shore), ring(island).reverse()]),
    feature('derived-inshore', { derived: 'inshore' }, 'Polygon', [ring([...buoys, ...shoreAbove, buoys[0]])]),
    feature('derived-buoy-line', { derived: 'buoy_line' }, 'LineString', ring(buoys)),
    feature('derived-strip', { derived: 'strip' }, 'MultiPolygon', [
      [ring(shore), ring(outline(-STRIP)).reverse()],
      [ring(circle(230, 10, 60 + STRIP)), ring(island).reverse()],
      ...docks.map((dock) => [ring(circle(dock.tip[0], dock.tip[1], STRIP))]),
      ...buoys.map(([x, y]) => [ring(circle(x, y, STRIP))]),
    ]),
    ...buoys.map(([x, y], i) =>
      feature(`B-${i + 1}`, { kind: 'safety_buoy', line: 'north', order: i + 1 }, 'Point', place(x, y)),
    ),
    ...docks.map((dock) => feature(dock.id, { kind: 'dock', lit: dock.id !== 'D-4' }, 'Polygon', [ring(dock.corners)])),
    feature('swim', { kind: 'swim_area', name: 'Town beach' }, 'Polygon', [
      ring([
        [-230, 430],
        [-120, 440],
        [-120, 480],
        [-230, 470],
        [-230, 430],
      ]),
    ]),
    feature('marina', { kind: 'speed_zone', name: 'Marina', speed_limit: '5 mph' }, 'Polygon', [
      ring([
        [-620, -300],
        [-400, -300],
        [-400, -480],
        [-620, -480],
        [-620, -300],
      ]),
    ]),
    feature('permit', { kind: 'permit_area', permit: '26-014' }, 'Polygon', [
      ring([
        [-160, 60],
        [140, 120],
        [170, -30],
        [-130, -90],
        [-160, 60],
      ]),
    ]),
    feature('ramp', { kind: 'launch_ramp', name: 'Ramp' }, 'Point', place(-560, -330)),
  ];
  for (let a = 0; a < 360; a += 15) {
    const r = 0.78;
    const [x, y] = [980 * r * Math.cos((a * Math.PI) / 180), 520 * r * Math.sin((a * Math.PI) / 180)];
    features.push(feature(`dir-${a}`, { derived: 'direction', bearing_deg: (360 - a) % 360 }, 'Point', place(x, y)));
  }
  return { type: 'FeatureCollection', features };
}

const MPH = 0.44704;
const kinds = [
  ['WN-4417', 'WN 4417 RX', 'motorboat', 6.4],
  ['WN-2290', 'WN 2290 KD', 'pwc', 3.2],
  ['WN-7702', 'WN 7702 TT', 'motorboat', 6],
  ['WN-7120', 'WN 7120', 'pwc', 3],
  ['WN-1180', 'WN 1180 AB', 'motorboat', 6.7],
  ['WN-3077', 'WN 3077', 'pwc', 3],
  ['windrose', 'Windrose', 'sailboat', 7],
  ['kayak-12', 'Kayak 12', 'nonmotorized', 4.5],
  ['kayak-15', 'Kayak 15', 'nonmotorized', 4.5],
  ['marine-2', 'Marine 2', 'patrol', 8],
  ['WN-9031', 'WN 9031', 'motorboat', 6],
  ['WN-6610', 'WN 6610', 'motorboat', 5.5],
  ['WN-4009', 'WN 4009', 'motorboat', 5],
  ['barge', 'Dive barge', 'commercial', 12],
  ['WN-0452', 'WN 0452', 'motorboat', 6],
  ['WN-2204', 'WN 2204', 'motorboat', 6],
  ['x-77', null, null, null],
];

/** A boat's place and speed at `t` seconds. */
export function boatAt(index, t) {
  const [id, name, kind, length] = kinds[index] ?? [`fleet-${index}`, null, 'motorboat', 6];
  const resting = ['WN-9031', 'WN-6610', 'barge'].includes(id);
  let speed =
    { 'kayak-12': 3, 'kayak-15': 3, windrose: 6, 'WN-4009': 2, 'WN-2290': 6.1, 'WN-4417': 24, 'marine-2': 18 }[id] ??
    14 + (index % 5) * 5;
  const size = 0.35 + ((index * 37) % 40) / 100;
  const at = (s) => {
    const a = -(s * speed * MPH) / (700 * size) + index * 1.7;
    if (resting) return [-150 + 110 * (index - 9), -150 - 40 * (index % 3)];
    if (id === 'WN-2290') return [-300 + 90 * Math.sin(s / 40), 405 + 8 * Math.sin(s / 17)];
    if (id === 'WN-4417') return [800 * Math.cos(-s / 80), 20 + 430 * Math.sin(-s / 80)];
    return [930 * size * Math.cos(a), 480 * size * Math.sin(a)];
  };
  const [x, y] = at(t),
    [x2, y2] = at(t + 0.5);
  if (id === 'WN-4417') speed = Math.hypot(x2 - x, y2 - y) / 0.5 / MPH;
  const [lon, lat] = place(x, y);
  let nearest = null;
  for (const dock of docks) {
    const d = Math.hypot(dock.tip[0] - x, dock.tip[1] - y);
    if (!nearest || d < nearest.distance_m) nearest = { feature: dock.id, kind: 'dock', distance_m: d };
  }
  const isNear = nearest.distance_m < STRIP;
  const inshore = id === 'WN-2290';
  const limit = isNear
    ? {
        speed_mps: 5 * MPH,
        rule: 'wake-zone',
        clause: 'SMC 10.14.140(B)(2)',
        reason: `within 50 ft of dock ${nearest.feature}`,
        feature: nearest.feature,
        kind: 'dock',
      }
    : inshore
      ? {
          speed_mps: 5 * MPH,
          rule: 'inshore-wake',
          clause: 'SMC 10.14.200(C)',
          reason: 'inside the buoy line (buoys 3–5)',
        }
      : { speed_mps: 50 * MPH, rule: 'speed-cap', clause: 'SMC 10.14.140(A)', reason: 'on open water' };
  const course = ((Math.atan2(x2 - x, y2 - y) * 180) / Math.PI + 360) % 360;
  return {
    id,
    name,
    class: kind,
    lat,
    lon,
    sog_mps: resting ? 0.1 : speed * MPH,
    cog_deg: resting ? null : course,
    heading_deg: resting ? (index * 70) % 360 : null,
    accuracy_m: 4,
    length_m: length,
    interval_s: 1,
    state: resting ? 'at_rest' : id === 'WN-4009' ? 'trolling' : 'under_way',
    limit,
    nearest,
    tow:
      id === 'WN-1180'
        ? {
            state: 'up',
            rope_m: 23,
            skier: {
              lat: lat - (Math.cos((course * Math.PI) / 180) * 23) / NORTH,
              lon: lon - (Math.sin((course * Math.PI) / 180) * 23) / EAST,
              error_m: 8,
              is_estimated: true,
            },
          }
        : null,
    permits: id === 'windrose' ? ['26-014'] : [],
    open: [],
  };
}
export const known = kinds.length;
export { STRIP, MPH };
