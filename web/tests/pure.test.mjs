// The parts that need no browser: units, time, stream, palette, geometry of the editor, words.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { createServer } from 'vite';

const vite = await createServer({
  root: new URL('..', import.meta.url).pathname,
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  appType: 'custom',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
after(() => vite.close());
const load = (path) => vite.ssrLoadModule(path);

test('numbers never hide which side of a limit they are on', async () => {
  const u = await load('/src/units.ts');
  assert.equal(u.speedNumber(u.mpsOf(12.4, 'mph'), 'mph', u.mpsOf(5, 'mph')), '12.4');
  assert.equal(u.speedNumber(u.mpsOf(5.04, 'mph'), 'mph', u.mpsOf(5, 'mph')), '5.04');
  assert.equal(u.distanceNumber(u.metresOf(49.7, 'ft'), 'ft', u.metresOf(50, 'ft')), '49.7');
  assert.equal(u.distanceNumber(u.metresOf(31.2, 'ft'), 'ft', u.metresOf(50, 'ft')), '31');
  assert.equal(u.distanceText(u.metresOf(1180, 'ft'), 'ft'), '1,180 ft');
  assert.equal(u.limitText(u.mpsOf(5, 'mph'), 'mph'), '5 mph');
});

test('a limit needs its unit', async () => {
  const u = await load('/src/units.ts');
  assert.equal(u.parseSpeed('5'), null);
  assert.ok(Math.abs(u.parseSpeed('5 mph') - 2.2352) < 1e-9);
  assert.ok(Math.abs(u.parseSpeed('8 km/h') - 8 / 3.6) < 1e-9);
  assert.ok(Math.abs(u.parseSpeed('4 kn') - (4 * 1852) / 3600) < 1e-9);
});

test('the ramp is speed against the limit', async () => {
  const { rampStep } = await load('/src/units.ts');
  assert.deepEqual(
    [0.8, 0.81, 1, 1.01, 1.25, 1.26, 2, 2.01].map((share) => rampStep(10 * share, 10)),
    [1, 2, 2, 3, 3, 4, 4, 5],
  );
  assert.equal(rampStep(null, 10), 0);
  assert.equal(rampStep(10, null), 0);
});

test('local times survive the change to summer time', async () => {
  const t = await load('/src/time.ts');
  const zone = 'America/Los_Angeles';
  for (const text of ['2026-07-04T19:42:13', '2026-03-08T01:59:59', '2026-03-08T03:00:00', '2026-11-01T00:30:00']) {
    assert.equal(t.toLocal(t.fromLocal(text, zone), zone), text);
  }
  assert.equal(t.zoneLetters(Date.parse('2026-07-04T12:00:00Z'), zone), 'PDT');
  assert.equal(t.inUtc(Date.parse('2026-07-05T02:42:13.2Z')), 'UTC 02:42:13.2 on 5 Jul');
  assert.equal(t.span(98 * 60), '1 h 38 min');
});

test('events of a stream come whole however they are cut', async () => {
  const { EventReader } = await load('/src/stream/sse.ts');
  const text = ': hello\n\nid: 7\nevent: finding\ndata: {"a":1,\r\ndata: "b":2}\r\n\r\ndata: x\n\n';
  const whole = new EventReader().read(text);
  assert.deepEqual(whole, [
    { event: 'finding', data: '{"a":1,\n"b":2}', id: '7' },
    { event: 'message', data: 'x', id: null },
  ]);
  for (let cut = 1; cut < text.length; cut++) {
    const reader = new EventReader();
    assert.deepEqual([...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut))], whole, `cut at ${cut}`);
  }
});

test('the palette follows the sun', async () => {
  const { paletteBySun } = await load('/src/map/palette.ts');
  const sun = {
    sunset: '2026-07-05T03:51:00Z',
    sunrise: '2026-07-05T11:58:00Z',
    night_from: '',
    night_until: '',
    is_night: false,
  };
  const at = (time) => paletteBySun(Date.parse(time), sun);
  assert.deepEqual(
    [
      '2026-07-05T03:50:00Z',
      '2026-07-05T03:52:00Z',
      '2026-07-05T04:22:00Z',
      '2026-07-05T11:29:00Z',
      '2026-07-05T12:00:00Z',
      '2026-07-04T09:00:00Z',
    ].map(at),
    ['day', 'dusk', 'night', 'dusk', 'day', 'night'],
  );
});

test('a moved piece changes its own coordinates and no others', async () => {
  const p = await load('/src/edit/parts.ts');
  const ring = (x) => [
    [x, 0],
    [x + 1, 0],
    [x + 1, 1],
    [x, 0],
  ];
  const lake = { type: 'MultiPolygon', coordinates: [[ring(0), ring(5)], [ring(10)]] };
  assert.equal(p.piecesOf(lake).length, 3);
  const moved = p.withPiece(lake, 1, { type: 'Polygon', coordinates: [ring(6)] });
  assert.deepEqual(moved.coordinates, [[ring(0), ring(6)], [ring(10)]]);
  assert.equal(
    p.withCorner(
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      0,
      0,
      null,
    ),
    null,
  );
  assert.deepEqual(
    p.withCorner(
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
            [0, 0],
          ],
        ],
      },
      0,
      0,
      null,
    ).coordinates,
    [
      [
        [1, 0],
        [1, 1],
        [0, 1],
        [1, 0],
      ],
    ],
  );
});

test('two editors merge; what both changed is asked', async () => {
  const p = await load('/src/edit/parts.ts');
  const dock = (id, lit) => ({
    type: 'Feature',
    id,
    properties: { kind: 'dock', lit },
    geometry: { type: 'Point', coordinates: [0, 0] },
  });
  const map = (...features) => ({ type: 'FeatureCollection', name: 'kept', features });
  const base = map(dock('a', 1), dock('b', 1), dock('c', 1), dock('d', 1));
  const mine = map(dock('a', 2), dock('b', 1), dock('c', 2), dock('e', 1));
  const theirs = map(dock('a', 1), dock('b', 3), dock('c', 3), dock('d', 1));
  const { merged, conflicts } = p.mergeThree(base, mine, theirs, () => 'mine');
  assert.deepEqual(conflicts, ['c']);
  assert.deepEqual(
    merged.features.map((one) => [one.id, one.properties.lit]),
    [
      ['a', 2],
      ['b', 3],
      ['c', 2],
      ['e', 1],
    ],
  );
  assert.equal(merged.name, 'kept');
  assert.deepEqual(
    p.changesBetween(base, mine).map((one) => [one.id, one.what]),
    [
      ['a', 'changed'],
      ['c', 'changed'],
      ['e', 'added'],
      ['d', 'removed'],
    ],
  );
});

test('positions are read in any common form', async () => {
  const { parseDegrees } = await load('/src/edit/parts.ts');
  for (const [text, value] of [
    ['47.6494', 47.6494],
    ["47°38.964'N", 47.6494],
    ['117 4 41.88 W', -117.0783],
    ['-117.0783', -117.0783],
    ['S 33 30', -33.5],
  ]) {
    assert.ok(Math.abs(parseDegrees(text) - value) < 1e-4, text);
  }
  assert.equal(parseDegrees('here'), null);
  assert.equal(parseDegrees('47 71'), null);
});

test('an area is what its corners say', async () => {
  const { cornersOf, isInArea, textOf } = await load('/src/findings/within.ts');
  const text = '47.64,-117.09; 47.64,-117.07; 47.66,-117.07';
  assert.deepEqual(cornersOf(text), [
    [-117.09, 47.64],
    [-117.07, 47.64],
    [-117.07, 47.66],
  ]);
  assert.equal(textOf(cornersOf(text)), '47.64000,-117.09000;47.64000,-117.07000;47.66000,-117.07000');
  assert.ok(isInArea(text, { lat: 47.645, lon: -117.075 }));
  assert.ok(!isInArea(text, { lat: 47.655, lon: -117.085 }));
  for (const none of ['', '47,-117;48,-117', 'a,b;c,d;e,f', '91,0;0,0;1,1', '1,2,3;1,2;2,2'])
    assert.equal(cornersOf(none), null, none);
});

test('odds are whole and never 100', async () => {
  const { odds } = await load('/src/words/en.ts');
  assert.deepEqual([0.711, 0.95, 0.99, 0.9999, 0].map(odds), [
    '71 in 100',
    '95 in 100',
    '99 in 100',
    'more than 99 in 100',
    '0 in 100',
  ]);
});

test('no forbidden word is among the words', async () => {
  const { words } = await load('/src/words/en.ts');
  const texts = [];
  const walk = (value) => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'function') texts.push(String(value));
    else if (value && typeof value === 'object') Object.values(value).forEach(walk);
  };
  walk(words);
  assert.ok(texts.length > 200);
  for (const text of texts) assert.doesNotMatch(text, /violat|offend|guilty|illegal|suspect|caught/i);
});

test('boats in the compact form are read as the full form tells them', async () => {
  const { FleetReader } = await load('/src/stream/compact.ts');
  const reader = new FleetReader();
  const rest = (id, more = {}) => ({ id, tow: null, permits: [], open: [], ...more });
  const limit = { speed_mps: 2.2352, rule: 'wake-zone', clause: 'c', reason: 'within 50 ft of dock D-1' };
  const first = reader.read(
    JSON.stringify({
      at: '2026-07-04T20:00:01.000Z',
      limits: [limit],
      features: [{ feature: 'D-1', kind: 'dock' }],
      rest: [
        [0, rest('a', { name: 'Nell' })],
        [2, rest('b')],
      ],
      n: [0, 2],
      changes: {
        t_ms: [1783195200500, 1783195200700],
        lat_e6: [47600000, 47600001],
        lon_e6: [-117400000, -117400001],
        sog_cmps: [325, null],
        state: [0, 2],
        limit: [0, null],
        limit_dm: [123, null],
        nearest: [0, 0],
        nearest_dm: [123, 10],
      },
    }),
  );
  assert.equal(first.at, '2026-07-04T20:00:01.000Z');
  assert.deepEqual(
    first.boats.map((boat) => [boat.id, boat.t, boat.lat, boat.sog_mps, boat.state, boat.limit?.distance_m ?? null]),
    [
      ['a', '2026-07-04T20:00:00.500Z', 47.6, 3.25, 'under_way', 12.3],
      ['b', '2026-07-04T20:00:00.700Z', 47.600001, null, 'at_dock', null],
    ],
  );
  assert.equal(first.boats[0].limit.reason, limit.reason);
  const next = reader.read(
    JSON.stringify({
      at: 'x',
      n: [2],
      changes: { t_ms: [1000], sog_cmps: [40] },
      gone: [0],
    }),
  );
  assert.deepEqual([next.boats[0].id, next.boats[0].t, next.boats[0].sog_mps], ['b', '2026-07-04T20:00:01.700Z', 0.4]);
  assert.deepEqual(
    [next.boats[0].nearest, next.boats[0].heading_deg],
    [{ feature: 'D-1', kind: 'dock', distance_m: 1 }, null],
  );
  assert.deepEqual(next.gone, ['a']);
  assert.throws(() => reader.read(JSON.stringify({ at: 'x', n: [0], changes: {} })), /was not told/);
});

test('plates do not cover one another, are kept while they fit, and stand for all findings', async () => {
  const { PlateBoard, PLATE } = await load('/src/map/plates.ts');
  const say = { counted: (all) => `${all.length} here`, widthOf: (text) => text.length * 7 };
  const wish = (id, x, y, more) => ({ id, x, y, text: '! 12.4 / 5 mph', isBreach: true, since: 0, ...more });
  const boxes = (plates, wishes) =>
    plates.map((plate) => {
      const { x, y } = wishes.find((one) => one.id === plate.id);
      return [x + plate.left, y + plate.top, x + plate.left + plate.width, y + plate.top + PLATE.height_px];
    });
  const covering = (all) =>
    all.flatMap((a, i) => all.slice(0, i).filter((b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]));
  const placed = (plates) => plates.map(({ id, place, ids }) => `${id} ${place.dx} ${place.dy} ${ids}`);

  // A few at one spot each have a place of their own: breach before possible, newest first, with a line to the boat.
  const three = [
    wish('old', 1000, 1000),
    wish('maybe', 1003, 1000, { isBreach: false, since: 9 }),
    wish('new', 1000, 1002, { since: 5 }),
  ];
  const few = new PlateBoard(say).place(three, 15);
  assert.deepEqual(
    few.map((one) => one.id),
    ['new', 'old', 'maybe'],
  );
  assert.ok(few.every((one) => one.isLed));
  assert.equal(new PlateBoard(say).place([wish('alone', 0, 0)], 15)[0].isLed, false);
  assert.deepEqual(covering(boxes(few, three)), []);

  // More are counted, in one that stands at the first; the chosen one keeps its own, and zoomed in they part.
  const five = ['a', 'b', 'c', 'd', 'e'].map((id, i) => wish(id, 1000 + 2 * i, 1000, { since: i, isBreach: i > 1 }));
  const board = new PlateBoard(say);
  const [one, ...rest] = board.place(five, 15);
  assert.deepEqual([one.text, one.ids, one.isBreach, rest], ['5 here', ['e', 'd', 'c', 'b', 'a'], true, []]);
  const chosen = board.place(
    five.map((each) => ({ ...each, isChosen: each.id === 'c' })),
    15,
  );
  assert.deepEqual(
    chosen.map((each) => each.ids.join('')),
    ['edba', 'c'],
  );
  const nearer = five.map((each) => ({ ...each, x: (each.x - 1000) * 32 }));
  assert.equal(board.place(nearer, 20).length, 5);

  // Sixty all over each other, then moving: none covers another, none is left out, the same picture twice in a row.
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const many = Array.from({ length: 60 }, (_, i) =>
    wish(`b${i}`, random() * 500, random() * 300, { since: i, isBreach: random() < 0.5 }),
  );
  const crowd = new PlateBoard(say);
  for (let tick = 0; tick < 20; tick++) {
    const plates = crowd.place(many, 15);
    assert.deepEqual(covering(boxes(plates, many)), [], `tick ${tick}`);
    assert.equal(new Set(plates.flatMap((each) => each.ids)).size, 60);
    assert.deepEqual(placed(crowd.place(many, 15)), placed(plates), `tick ${tick}`);
    for (const each of many) each.x += random() * 3;
  }

  // A boat that comes by makes a plate give way; it does not go to and fro while the boat is about there.
  const pair = new PlateBoard(say);
  const places = new Set();
  for (let tick = 0; tick < 30; tick++) {
    const near = [wish('stays', 500, 500), wish('comes', 500, 440 + (tick % 3), { since: 1 })];
    places.add(placed(pair.place(near, 15)).find((each) => each.startsWith('stays')));
  }
  assert.equal(places.size, 1, [...places].join('; '));
});

test('of the files of an earlier version nothing is kept', async () => {
  const { sent, kept } = await serviceWorker();
  const page = (name) => new Response(`<script src="/assets/${name}.js">`);
  const open = (version) => sent('/', { mode: 'navigate', answer: page(version) });
  const file = (name) => sent(`/assets/${name}.js`, { answer: new Response('') });
  await open('one');
  await file('one');
  await open('one');
  assert.deepEqual(kept(), ['/', '/assets/one.js']);
  await open('two');
  assert.deepEqual(kept(), ['/']);
  await file('two');
  assert.deepEqual(kept(), ['/', '/assets/two.js']);
  await sent('/', { mode: 'navigate', answer: new Response('', { status: 503 }) });
  assert.deepEqual(kept(), ['/', '/assets/two.js']);
});

/** The service worker with a cache of its own: what it is `sent` is answered as told. */
async function serviceWorker() {
  const origin = 'http://lake.example';
  const cache = new Map();
  const key = (request) => new URL(request.url ?? request, origin).href;
  const opened = {
    match: async (request) => cache.get(key(request))?.clone(),
    put: async (request, answer) => void cache.set(key(request), answer),
    keys: async () => [...cache.keys()].map((url) => ({ url })),
    delete: async (request) => cache.delete(key(request)),
  };
  const heard = {};
  const self = {
    addEventListener: (name, hears) => (heard[name] = hears),
    location: { origin },
    skipWaiting() {},
  };
  let answer;
  const caches = { open: async () => opened, match: opened.match, delete: async () => cache.clear() };
  runInNewContext(await readFile(new URL('../public/sw.js', import.meta.url), 'utf8'), {
    self,
    caches,
    fetch: async () => answer,
    URL,
  });
  const sent = async (path, { mode = 'no-cors', answer: told }) => {
    answer = told;
    const waits = [];
    const request = { url: origin + path, method: 'GET', mode };
    heard.fetch({ request, waitUntil: (work) => waits.push(work), respondWith: (work) => waits.push(work) });
    for (const work of waits) await work;
  };
  return { sent, kept: () => [...cache.keys()].map((url) => new URL(url).pathname).sort() };
}

test('two texts line by line: what stands in one alone, by number, the rest folded', async () => {
  const { lineDiff, folded } = await load('/src/rulebooks/lines.ts');
  const text = (list) => `${list.join('\n')}\n`;
  const old = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
  const fresh = [...old.slice(0, 9), 'another', 'and one more', ...old.slice(10, 25), ...old.slice(26)];
  const lines = lineDiff(text(old), text(fresh));
  const differing = lines.filter((one) => one.kind !== 'same');
  assert.deepEqual(
    differing.map(({ kind, before, after, text: words }) => [kind, before, after, words]),
    [
      ['gone', 10, null, 'line 10'],
      ['new', null, 10, 'another'],
      ['new', null, 11, 'and one more'],
      ['gone', 26, null, 'line 26'],
    ],
  );
  // Nothing is lost of either.
  assert.deepEqual(
    lines.filter((one) => one.kind !== 'new').map((one) => one.text),
    old,
  );
  assert.deepEqual(
    lines.filter((one) => one.kind !== 'gone').map((one) => one.text),
    fresh,
  );
  assert.deepEqual(
    folded(lines).map((part) => [part.isFolded, part.lines.length]),
    [
      [true, 6],
      [false, 9],
      [true, 9],
      // A last line by itself is not folded.
      [false, 8],
    ],
  );
  assert.deepEqual(folded(lineDiff('a\nb\n', 'a\nb\n')), [{ isFolded: true, lines: lineDiff('a\nb', 'a\r\nb\r\n') }]);
  assert.deepEqual(
    lineDiff('', 'x').map((one) => one.kind),
    ['gone', 'new'],
  );
});
