// The map editor: its geometry by itself, then what a manager does in a browser, with the real daemon. Nothing is made up.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createServer } from 'vite';
import { callerIn, logIn } from './support/account.mjs';
import { run, sail, sleep } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { tracker } from './support/mqtt.mjs';

const PASSWORD = 'a long enough password 1';
let vite, daemon, browser, boats;
const load = (path) => vite.ssrLoadModule(path);

before(async () => {
  vite = await createServer({
    root: new URL('..', import.meta.url).pathname,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    appType: 'custom',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  daemon = await startDaemon();
  browser = await openBrowser();
  boats = await tracker(daemon.mqtt);
  const admin = await caller('admin', daemon.password);
  for (const user of ['manager', 'ranger'])
    await admin('/accounts', { method: 'POST', body: { user, password: PASSWORD, role: 'manager' } });
  // A boat too fast beside dock D-1, so that moving the dock takes a finding away, and one beside the marina.
  for (const fix of run([-80, -510], [60, -510], 14, Date.now() - 120_000))
    await boats.publish('buoyline/vessels/WN-4417/fix', fix);
  await sail(boats, 'WN-4417', [60, -510], [60, -300], 20);
});
after(async () => {
  boats?.end();
  await browser?.close();
  await daemon?.stop();
  await vite?.close();
});

/** Pages that are open; a test that fails leaves none behind. */
const pages = new Set();
afterEach(async () => {
  for (const page of pages) await page.context().close();
  pages.clear();
});

/** Somebody's session: one for all tests, as the daemon takes no more than some logins a minute. */
const sessions = new Map();
function session(user, password = PASSWORD) {
  if (!sessions.has(user)) sessions.set(user, logIn(daemon, user, password));
  return sessions.get(user);
}

/** A way to ask the API as somebody. */
async function caller(user, password) {
  return callerIn(daemon, await session(user, password));
}

/** The editor with a new draft; `at` says what the map shows. */
async function edit(name, { user = 'manager', at = '', size = 'desk' } = {}) {
  const page = await browser.page({ size });
  pages.add(page);
  const [key, value] = (await session(user)).cookie.split('=');
  await page.context().addCookies([{ name: key, value, url: daemon.url }]);
  await page.goto(`${daemon.url}/map/test-lake${at && `?at=${at}`}`);
  await page.getByLabel('Name of the draft').fill(name);
  await page.getByRole('button', { name: 'Begin a draft' }).click();
  await page.locator('.map-canvas canvas').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.waitForFunction(() => new URLSearchParams(location.search).get('draft'));
  return page;
}
const draftOf = (page) => new URL(page.url()).searchParams.get('draft');
const tab = (page, name) => page.locator('.panel-tabs').getByRole('button', { name }).click();
async function choose(page, name) {
  // On the phone a second tap on a tab would close it.
  if (!(await page.locator('.feature-list').first().isVisible())) await tab(page, 'Features');
  await page.locator('.feature-list').getByRole('button', { name }).click();
  await page.locator('.feature-form').waitFor();
}
const saved = (page) => page.getByText('Saved', { exact: true }).waitFor();

test('shapes are cut, moved and turned', async () => {
  const { split, moved, turned, middleOf } = await load('/src/edit/shape.ts');
  const square = (x = 0, holes = []) => ({
    type: 'Polygon',
    coordinates: [
      [
        [x, 0],
        [x + 0.01, 0],
        [x + 0.01, 0.01],
        [x, 0.01],
        [x, 0],
      ],
      ...holes,
    ],
  });
  const area = ({ coordinates: [ring] }) =>
    Math.abs(ring.slice(1).reduce((sum, [x, y], i) => sum + ring[i][0] * y - x * ring[i][1], 0) / 2);
  const cut = [
    [0.004, -0.001],
    [0.004, 0.005],
    [0.006, 0.011],
  ];
  const { parts } = split(square(), cut);
  assert.ok(Math.abs(area(parts[0]) + area(parts[1]) - 1e-4) < 1e-9, 'nothing is lost');
  for (const part of parts) assert.deepEqual(part.coordinates[0][0], part.coordinates[0].at(-1), 'rings are closed');
  const island = [
    [0.001, 0.001],
    [0.002, 0.001],
    [0.002, 0.002],
    [0.001, 0.001],
  ];
  const withIsland = split(square(0, [island]), cut).parts;
  assert.deepEqual(withIsland.map((part) => part.coordinates.length).sort(), [1, 2]);
  // Ends that were snapped to the edge, ends inside, a miss, an island in the way.
  assert.ok(
    split(square(), [
      [0.004, 0],
      [0.004, 0.01],
    ]).parts,
  );
  const why = (geometry, ...line) => split(geometry, line).why;
  assert.equal(why(square(), [0.004, -0.001], [0.004, 0.005]), 'ends');
  assert.equal(why(square(), [0.02, 0], [0.02, 1]), 'miss');
  assert.equal(why(square(0, [island]), [0.0015, -0.001], [0.0015, 0.011]), 'island');
  assert.equal(why({ type: 'Point', coordinates: [0, 0] }, [0, -1], [0, 1]), 'point');
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
  };
  const halves = split(line, [
    [1.5, -1],
    [1.5, 1],
  ]).parts;
  assert.deepEqual(halves[0].coordinates.at(-1), [1.5, 0]);
  assert.deepEqual(halves[1].coordinates, [
    [1.5, 0],
    [2, 0],
  ]);
  const two = split({ type: 'MultiPolygon', coordinates: [square().coordinates, square(1).coordinates] }, cut).parts;
  assert.deepEqual(
    two.map((part) => part.type),
    ['Polygon', 'MultiPolygon'],
  );
  const m = 1 / 111_195;
  const there = moved(square(), 30, -40);
  assert.ok(
    Math.abs(there.coordinates[0][0][0] - 30 * m) < 1e-7 && Math.abs(there.coordinates[0][0][1] + 40 * m) < 1e-7,
  );
  const back = turned(turned(square(), 30), -30);
  assert.ok(
    Math.max(
      ...back.coordinates[0].flatMap(([x, y], i) => [
        Math.abs(x - square().coordinates[0][i][0]),
        Math.abs(y - square().coordinates[0][i][1]),
      ]),
    ) < 3e-7,
  );
  const quarter = turned(square(), 90);
  assert.deepEqual(middleOf(quarter), middleOf(square()));
});

test('seasons and hours are read and said back', async () => {
  const w = await load('/src/edit/when.ts');
  const season = (from, until) => w.seasonInWords(w.seasonOf(from, until), 'America/Los_Angeles');
  assert.equal(season('05-01', '09-30'), '1 May to 30 Sep, every year');
  assert.equal(season('11-15', '02-29'), '15 Nov to 29 Feb, every year');
  assert.equal(season(undefined, undefined), 'All year, every year');
  assert.match(season('2026-07-04T16:00:00Z', undefined), /^From .*09:00 PDT$/);
  assert.equal(season('next spring', undefined), null);
  for (const text of ['1 May', 'May 1', '05-01']) assert.equal(w.textOfDay(w.parseDay(text)), '05-01');
  for (const text of ['31 Jun', '13-01', 'soon']) assert.equal(w.parseDay(text), null);
  assert.equal(w.textOfDay(w.snappedDay(122, false)), '05-01');
  assert.equal(w.textOfDay(w.snappedDay(271, true)), '09-30');
  for (const text of [
    undefined,
    'from 10:00 to 18:00',
    'from 20:00 to 11:00 and on sat, sun',
    'from sunset to sunrise',
  ])
    assert.equal(w.textOfHours(w.hoursOf(text)), text);
  assert.equal(w.hoursInWords(w.hoursOf('10:00-18:00')), '10:00 to 18:00, every day');
  assert.equal(
    w.hoursInWords(w.hoursOf('from 20:00 to 11:00 and on sat, sun')),
    '20:00 to 11:00 the next day, on Sat and Sun',
  );
  assert.equal(w.hoursInWords(w.hoursOf('always')), 'All day, every day');
});

test('what is safe to fix is fixed, and ids that count up are said in one', async () => {
  const { fixOf } = await load('/src/edit/fix.ts');
  const { runsOf } = await load('/src/edit/others.ts');
  const fault = (message, lint = null) => ({ severity: 'warning', feature: 'a', message, lint });
  const line = (coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates } });
  const doubled = fixOf(fault('', 'duplicate-vertices')).make(
    line([
      [0, 0],
      [0, 0],
      [1, 0],
    ]),
  );
  assert.equal(doubled.geometry.coordinates.length, 2);
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
  ];
  const closed = fixOf(fault('the ring is not closed; it was closed with a straight edge')).make({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Polygon', coordinates: [ring] },
  });
  assert.deepEqual(closed.geometry.coordinates[0].at(-1), [0, 0]);
  const properties = (message, old) => fixOf(fault(message)).make({ type: 'Feature', properties: old }).properties;
  assert.deepEqual(properties('lit is a text; it was read as false ("no")', { kind: 'dock', lit: 'no' }), {
    kind: 'dock',
    lit: false,
  });
  assert.deepEqual(
    Object.entries(
      properties('no property is called "speed_limt", so it was ignored; the nearest known is "speed_limit" (…)', {
        kind: 'speed_zone',
        speed_limt: '5 mph',
        note: 'x',
      }),
    ),
    [
      ['kind', 'speed_zone'],
      ['speed_limit', '5 mph'],
      ['note', 'x'],
    ],
    'in its place',
  );
  assert.equal(fixOf(fault('the ring crosses itself')), null, 'nobody but a person knows what is meant');
  assert.deepEqual(runsOf(['D-14', 'D-12', 'swim', 'D-13', 'B-1', 'B-2']), ['B-1', 'B-2', 'D-12 to D-14', 'swim']);
});

test('a feature is moved, turned and split, and both parts keep its properties', async () => {
  const page = await edit('north marina', { at: '47.6481,-117.0893,17' });
  await choose(page, /Marina/);
  await page.getByText('Move, turn, split').click();
  await page.getByRole('button', { name: 'Move north' }).click();
  await page.getByLabel('By (degrees)').fill('10');
  await page.getByRole('button', { name: 'Turn clockwise' }).click();
  await saved(page);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Split', exact: true }).click();
  await page.getByText('Draw a line across marina').waitFor();
  await sleep(800);
  // Across the middle of the marina, from beyond its western edge to beyond its eastern one.
  const box = await page.locator('.map-canvas').boundingBox();
  const map = (x, y) => [box.x + box.width / 2 + x, box.y + box.height / 2 + y];
  const wide = Math.min(380, box.width / 2 - 30);
  await page.mouse.click(...map(-wide, 0));
  await page.mouse.move(...map(wide, 8));
  await page.mouse.click(...map(wide, 8));
  await page.mouse.click(...map(wide, 8));
  await page.locator('.notice').getByText('one part is still marina, the other is marina-2').waitFor();
  await saved(page);
  const manager = await caller('manager');
  const { source } = await manager(`/drafts/${draftOf(page)}`);
  const parts = source.features.filter((one) => /^marina/.test(one.id));
  assert.deepEqual(
    parts.map((one) => [one.id, one.properties.kind, one.properties.name, one.properties.speed_limit]),
    [
      ['marina', 'speed_zone', 'Marina', '5 mph'],
      ['marina-2', 'speed_zone', 'Marina', '5 mph'],
    ],
  );
  const places = source.features.map((one) => one.id);
  assert.equal(places.indexOf('marina-2'), places.indexOf('marina') + 1, 'beside each other in the file');
  assert.deepEqual(page.faults, []);
  await manager(`/drafts/${draftOf(page)}`, { method: 'DELETE' });
});

test('a warning is accepted with its reason, and both are published', async () => {
  const page = await edit('accepted');
  await tab(page, /^Lint/);
  const warning = page.locator('.lint-list .fault', { hasText: 'too coarse for a rule' });
  await warning.getByText(/Why it matters: SMC/).waitFor();
  const before = await page
    .locator('.panel-tabs')
    .getByText(/Lint \dE \dW/)
    .innerText();
  await warning.getByRole('button', { name: 'Accept with reason' }).click();
  await page.getByLabel('Why it may stand').fill('the county surveys the shore in 2027');
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page
    .locator('.is-accepted')
    .getByText(/Accepted by manager on .*surveys the shore in 2027/)
    .waitFor();
  assert.notEqual(
    await page
      .locator('.panel-tabs')
      .getByText(/Lint \dE \dW/)
      .innerText(),
    before,
  );
  await saved(page);
  // Words alone need no run.
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByLabel('What was changed, and why').fill('the coarse shore may stand');
  assert.equal(await page.getByLabel('Reason to publish').count(), 0);
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.locator('.notice').getByText('Published as').waitFor();
  const manager = await caller('manager');
  const source = await manager('/waterways/test-lake/source');
  const [kept] = source.features.find((one) => one.id === 'test-lake').properties.accepted_warnings;
  assert.deepEqual(
    [kept.lint, kept.reason, kept.by],
    ['coarse-shore', 'the county surveys the shore in 2027', 'manager'],
  );
  assert.equal(source.features[0].properties.surveyed_by, 'nobody: made up', 'properties that are not ours stay');
  // The next draft shows it greyed, and it can be taken back.
  const next = await edit('next', { user: 'ranger' });
  await tab(next, /^Lint/);
  await next.locator('.is-accepted').getByText('Accepted by manager').waitFor();
  await next.getByRole('button', { name: 'No longer accept' }).click();
  await next.locator('.lint-list .fault', { hasText: 'too coarse for a rule' }).waitFor();
  assert.deepEqual([...page.faults, ...next.faults], []);
  await saved(next);
  await manager(`/drafts/${draftOf(next)}`, { method: 'DELETE' });
});

test('buoys are put in order by steps and by clicks, and the derived line follows', async () => {
  const page = await edit('north buoys', { at: '47.6540,-117.0792,16.5' });
  // The map stands where it was asked to be, so places on it are known.
  const box = await page.locator('.map-canvas').boundingBox();
  const metres = (78_271.517 * Math.cos((47.654 * Math.PI) / 180)) / 2 ** 16.5;
  const M = 111_195;
  const lake = await (await caller('manager'))('/waterways/test-lake/source');
  const clickBuoy = async (buoy) => {
    const [lon, lat] = lake.features.find((one) => one.id === buoy).geometry.coordinates;
    await page.mouse.click(
      box.x + box.width / 2 + ((lon + 117.0792) * M * Math.cos((47.654 * Math.PI) / 180)) / metres,
      box.y + box.height / 2 - ((lat - 47.654) * M) / metres,
    );
  };
  // The map may still be loading.
  for (let tries = 0; tries < 30 && !(await page.locator('.buoy-order').isVisible()); tries++) {
    await clickBuoy('B-1');
    await sleep(1000);
  }
  const order = page.locator('.buoy-order');
  const names = () => order.locator('.order-name').evaluateAll((all) => all.map((one) => one.firstChild.textContent));
  assert.deepEqual(await names(), ['B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
  await order.getByRole('button', { name: 'B-1 one later' }).click();
  assert.deepEqual(await names(), ['B-2', 'B-1', 'B-3', 'B-4', 'B-5']);
  await saved(page);
  const manager = await caller('manager');
  const id = draftOf(page);
  const line = async () => {
    const { features } = await manager(`/drafts/${id}/map`);
    const drawn = features.find((one) => one.properties.derived === 'buoy_line').geometry;
    return (drawn.type === 'LineString' ? drawn.coordinates : drawn.coordinates[0]).map(([lon]) => lon);
  };
  const swapped = await line();
  assert.ok(swapped.indexOf(-117.08) < swapped.indexOf(-117.080801), 'B-2 comes before B-1 in the derived line');
  // Dragging the row puts it back.
  const grips = order.locator('.row-grip');
  const [from, to] = [await grips.nth(1).boundingBox(), await grips.nth(0).boundingBox()];
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 6, { steps: 4 });
  await page.mouse.up();
  assert.deepEqual(await names(), ['B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
  // By clicks on the map: 5, 4, 3, 2, 1.
  await order.getByRole('button', { name: /Reorder: click 1 … 5/ }).click();
  for (const buoy of ['B-5', 'B-4', 'B-3', 'B-2', 'B-1']) await clickBuoy(buoy);
  await page.waitForFunction(() => !document.querySelector('.tool-hint'));
  await saved(page);
  const now = (await manager(`/drafts/${id}`)).source.features.filter((one) => one.properties.kind === 'safety_buoy');
  assert.deepEqual(
    now.sort((a, b) => a.properties.order - b.properties.order).map((one) => one.id),
    ['B-5', 'B-4', 'B-3', 'B-2', 'B-1'],
  );
  assert.deepEqual(page.faults, []);
  await manager(`/drafts/${id}`, { method: 'DELETE' });
});

test('season and hours are drawn, typed and said back', async () => {
  const page = await edit('season');
  await choose(page, /Marina/);
  await page.getByRole('button', { name: 'Every year' }).click();
  await page.getByText('1 May to 30 Sep, every year.').waitFor();
  const track = page.locator('.span-track').first();
  const box = await track.boundingBox();
  const day = (n) => [box.x + (n / 366) * box.width, box.y + 20];
  await page.mouse.move(...day(60));
  await page.mouse.down();
  await page.mouse.move(...day(180), { steps: 6 });
  await page.mouse.up();
  await page.getByText('1 Mar to 30 Jun, every year.').waitFor();
  await page.getByRole('textbox', { name: 'Until' }).first().fill('4 Jul');
  await page.getByRole('textbox', { name: 'Until' }).first().press('Enter');
  await page.getByText('1 Mar to 4 Jul, every year.').waitFor();
  await page.getByRole('slider', { name: 'From' }).first().press('ArrowRight');
  await page.getByText('2 Mar to 4 Jul, every year.').waitFor();
  await page.getByRole('button', { name: 'By the clock' }).click();
  await page.getByRole('button', { name: 'Sat' }).click();
  await page.getByText('10:00 to 18:00, on Sat.').waitFor();
  await saved(page);
  const manager = await caller('manager');
  const { source } = await manager(`/drafts/${draftOf(page)}`);
  const { valid_from, valid_until, hours } = source.features.find((one) => one.id === 'marina').properties;
  assert.deepEqual([valid_from, valid_until, hours], ['03-02', '07-04', 'from 10:00 to 18:00 and on sat']);
  const faults = await manager(`/drafts/${draftOf(page)}/check`, { method: 'POST' });
  assert.deepEqual(
    faults.filter((one) => one.feature_id === 'marina'),
    [],
    'the check reads what the form wrote',
  );
  assert.deepEqual(page.faults, []);
  await manager(`/drafts/${draftOf(page)}`, { method: 'DELETE' });
});

test('who else edits what is said before anybody loses work; what both changed is asked side by side', async () => {
  const page = await edit('of the manager');
  const other = await edit('of the ranger', { user: 'ranger' });
  const set = async (one, feature, label, value) => {
    await choose(one, feature);
    await one.getByLabel(label, { exact: true }).fill(value);
    await one.getByLabel(label, { exact: true }).press('Enter');
    await saved(one);
  };
  await set(other, /Marina/, 'Speed limit', '4 mph');
  await set(other, /D-1/, 'Note', 'repaired in 2026');
  await page.getByText('ranger is editing D-1, marina, in the draft “of the ranger”').waitFor({ timeout: 15_000 });
  await choose(page, /Marina/);
  await page.locator('.feature-form .other-editor').getByText('ranger is editing marina').waitFor();
  await set(page, /Marina/, 'Speed limit', '6 mph');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByLabel('What was changed, and why').fill('the marina asks for 6 mph');
  const publish = page.getByRole('button', { name: 'Publish now' });
  assert.ok(await publish.isDisabled(), 'limits change: a run or a reason');
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByText(/1 change, \d+ findings? gained, \d+ lost/).waitFor({ timeout: 60_000 });
  await publish.click();
  await page.locator('.notice').getByText('Published as').waitFor();
  await other.getByText('Another version was published since this draft began').waitFor();
  await other.getByRole('button', { name: 'Publish', exact: true }).click();
  await other.getByLabel('What was changed, and why').fill('dock repaired');
  await other.getByLabel('Reason to publish').fill('a test');
  await other.getByRole('button', { name: 'Publish now' }).click();
  await other.getByText('Someone published another version meanwhile').waitFor();
  const cells = await other.locator('.conflict tbody tr').first().locator('td').allInnerTexts();
  assert.deepEqual(cells, ['5 mph', '4 mph', '6 mph'], 'before both, mine, theirs');
  await other.getByRole('group', { name: 'marina' }).getByRole('button', { name: 'Keep theirs' }).click();
  await other.getByRole('button', { name: 'Merge and go on' }).click();
  await other.locator('.notice').getByText('Published as').waitFor();
  const manager = await caller('manager');
  const source = await manager('/waterways/test-lake/source');
  const of = (id) => source.features.find((one) => one.id === id).properties;
  assert.deepEqual([of('marina').speed_limit, of('D-1').note], ['6 mph', 'repaired in 2026']);
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('one draft in two windows: changes of other features come together, those of the same are asked about', async () => {
  const page = await edit('shared');
  const id = draftOf(page);
  const manager = await caller('manager');
  const ranger = await caller('ranger');
  const write = async (make) => {
    const { source, etag } = await ranger(`/drafts/${id}`);
    for (const one of source.features) make(one);
    await ranger(`/drafts/${id}`, { method: 'PUT', body: source, headers: { 'if-match': etag } });
  };
  await write((one) => {
    if (one.id === 'D-2') one.properties.note = 'of the ranger';
  });
  await choose(page, /Marina/);
  await page.getByLabel('Note').fill('of the manager');
  await page.getByLabel('Note').press('Enter');
  // Once it was heard of and once it came as a surprise; either way nothing is lost.
  await write((one) => {
    if (one.id === 'swim') one.properties.note = 'of the ranger too';
  });
  await page.getByLabel('Name', { exact: true }).fill('Marina 2');
  await page.getByLabel('Name', { exact: true }).press('Enter');
  let source;
  for (let tries = 0; tries < 60; tries++) {
    ({ source } = await manager(`/drafts/${id}`));
    if (source.features.find((one) => one.id === 'marina').properties.name === 'Marina 2') break;
    await sleep(1000);
  }
  const note = (feature) => source.features.find((one) => one.id === feature).properties.note;
  assert.deepEqual(
    [note('D-2'), note('swim'), note('marina')],
    ['of the ranger', 'of the ranger too', 'of the manager'],
  );
  assert.deepEqual(page.faults, []);
  await manager(`/drafts/${id}`, { method: 'DELETE' });
});

test('what would change is told by rule, on the map, and before publishing', async () => {
  const page = await edit('dock away', { at: '47.6450,-117.0800,16' });
  await choose(page, /^D-1/);
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await saved(page);
  await page.locator('.edit').getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.what-sum').waitFor({ timeout: 60_000 });
  const sum = await page.locator('.what-sum').innerText();
  const [, gained, lost] = /Gained (\d+) · − Lost (\d+)/.exec(sum).map(Number);
  assert.ok(gained + lost > 0, sum);
  const groups = page.locator('.rule-group');
  assert.ok((await groups.count()) > 0);
  const listed = await page.locator('.rule-group .effect-sign').allInnerTexts();
  assert.equal(listed.filter((sign) => sign !== '~').length, gained + lost, 'all in the list, by rule');
  const row = page.locator('.effect-list > li').first();
  await row.getByRole('button').click();
  await row.getByText('no finding').waitFor();
  const link = await row.getByRole('link', { name: 'Open in Review' }).getAttribute('href');
  assert.match(link, /^\/review\/test-lake\?from=.*boats=WN-4417/);
  await page.locator('.choice').getByText('Both').click();
  await tab(page, 'Past');
  await page.locator('.change-list').getByText('D-1').waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page
    .getByText(`1 change, ${gained} findings gained, ${lost} lost`)
    .or(page.getByText(/1 change, \d+ finding.* gained/))
    .first()
    .waitFor();
  await page.getByLabel('What was changed, and why').fill('the dock was taken away');
  await page.getByRole('button', { name: 'Publish now' }).click();
  await page.locator('.notice').getByText('Published as').waitFor();
  const manager = await caller('manager');
  const [version] = await manager('/waterways/test-lake/versions');
  assert.deepEqual([version.author, version.comment, version.changes], ['manager', 'the dock was taken away', 1]);
  assert.deepEqual(page.faults, []);
});

test('a table is imported step by step: order, unit and kinds are asked, nothing is written before', async () => {
  const page = await edit('imported');
  const manager = await caller('manager');
  const id = draftOf(page);
  const before = (await manager(`/drafts/${id}`)).source.features.length;
  await page.getByRole('button', { name: 'Import' }).click();
  const rows = [
    'id,TYPE,x,y',
    ...[0, 1, 2, 3].map((n) => `F-${n},${n < 3 ? 'FLOAT' : 'DOCK'},${47.65 + n * 0.0005},${-117.08 - n * 0.0005}`),
  ];
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'floats.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(rows.join('\n')),
  });
  await page.getByText('4 features say no kind').waitFor();
  await page.getByLabel('FLOAT (3)').selectOption('float');
  await page.getByLabel('DOCK (1)').selectOption('dock');
  await page.getByRole('button', { name: 'Read again with these kinds' }).click();
  await page.getByText('All 4 positions lie outside Test Lake; swapped, 4 of 4 lie inside.').waitFor();
  assert.equal(await page.locator('.orders .drawing').count(), 2, 'both orders are drawn');
  assert.ok(await page.getByRole('radio').nth(1).isChecked(), 'the one that fits is chosen');
  await page.getByText('4 added, 0 changed, 0 removed.').waitFor();
  assert.equal((await manager(`/drafts/${id}`)).source.features.length, before, 'nothing is written yet');
  await page.getByRole('button', { name: 'Take into the draft' }).click();
  await page.locator('.notice').getByText('4 features taken into “imported”').waitFor();
  await saved(page);
  const { source } = await manager(`/drafts/${id}`);
  const float = source.features.find((one) => one.id === 'F-1');
  assert.deepEqual([float.properties.kind, float.geometry.coordinates], ['float', [-117.0805, 47.6505]]);
  assert.deepEqual(page.faults, []);
  await manager(`/drafts/${id}`, { method: 'DELETE' });
});

test('on the phone a line is drawn under a fixed cross, and a feature is split by it', async () => {
  const page = await edit('phone', { size: 'phone' });
  // The map goes to the marina at once: a finger on it would stop it on its way.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await choose(page, /Marina/);
  await page.getByRole('button', { name: 'Split', exact: true }).click();
  // The map is moved, the cross stays: from west of the marina, which fills the width, to east of it.
  const box = await page.locator('.map-canvas').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const drag = async (by) => {
    await page.mouse.move(x - by / 2, y);
    await page.mouse.down();
    await page.mouse.move(x + by / 2, y, { steps: 8 });
    await sleep(200);
    await page.mouse.up();
    await sleep(500);
  };
  await drag(240);
  await page.getByRole('button', { name: 'Place here' }).click();
  for (let i = 0; i < 2; i++) await drag(-300);
  await page.getByRole('button', { name: 'Place here' }).click();
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await page.locator('.notice').getByText('the other is marina-2').waitFor();
  await saved(page);
  assert.deepEqual(page.faults, []);
  const manager = await caller('manager');
  await manager(`/drafts/${draftOf(page)}`, { method: 'DELETE' });
});

test('what was done can be undone after a reload, until somebody else writes the draft', async () => {
  const page = await edit('undone later');
  const name = page.locator('.feature-form').getByLabel('Name', { exact: true });
  await choose(page, /Town beach/);
  for (const text of ['North beach', 'Little beach']) {
    await name.fill(text);
    await name.press('Tab');
    await saved(page);
  }
  const id = draftOf(page);
  const manager = await caller('manager');
  const stored = async () =>
    (await manager(`/drafts/${id}`)).source.features.find((one) => one.id === 'swim').properties.name;
  assert.equal(await stored(), 'Little beach');
  await sleep(300);

  await page.reload();
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await saved(page);
  await undo.click();
  await page.locator('.feature-list, .feature-form').first().waitFor();
  await saved(page);
  assert.equal(await stored(), 'North beach');
  await sleep(300);
  await page.reload();
  await saved(page);
  await page.getByRole('button', { name: 'Redo', exact: true }).click();
  await saved(page);
  assert.equal(await stored(), 'Little beach');

  const { source, etag } = await manager(`/drafts/${id}`);
  await page.goto(`${daemon.url}/findings`);
  await manager(`/drafts/${id}`, {
    method: 'PUT',
    headers: { 'if-match': etag },
    body: { ...source, features: source.features.filter((one) => one.id !== 'D-2') },
  });
  await page.goto(`${daemon.url}/map/test-lake?draft=${id}`);
  await saved(page);
  assert.ok(await undo.isDisabled(), 'their work is not undone by mine');
  assert.deepEqual(page.faults, []);
});

test('the line that the buoys would make is drawn beside a declared one that runs another way', async () => {
  const { ruleLines } = await load('/src/edit/ruleline.ts');
  const { features } = await (await caller('manager'))('/waterways/test-lake/source');
  const buoys = features.filter((one) => one.properties.line === 'north').map(({ geometry }) => geometry.coordinates);
  const declared = (coordinates, properties = {}) => ({
    type: 'Feature',
    id: 'L-1',
    properties: { kind: 'buoy_line', ...properties },
    geometry: { type: 'LineString', coordinates },
  });
  const of = (line) => ruleLines({ type: 'FeatureCollection', features: [...features, ...(line ? [line] : [])] });
  assert.deepEqual(of(null), [], 'nothing beside what is derived itself');
  assert.deepEqual(of(declared(buoys)), [], 'the same line is drawn once');
  const around = [buoys[0], [-117.0792, 47.6537], buoys.at(-1)];
  assert.deepEqual(of(declared(around, { line: 'north' })), [{ type: 'LineString', coordinates: buoys }]);
  const far = buoys.map(([lon, lat]) => [lon, lat - 0.002]);
  assert.deepEqual(of(declared(far)), [], 'a line elsewhere stands for other buoys');
  assert.equal(of(declared(far, { line: 'north' })).length, 1, 'unless it names theirs');

  const page = await edit('declared line', { at: '47.6540,-117.0792,16.5' });
  const manager = await caller('manager');
  const id = draftOf(page);
  const { source, etag } = await manager(`/drafts/${id}`);
  await page.goto(`${daemon.url}/findings`);
  await manager(`/drafts/${id}`, {
    method: 'PUT',
    headers: { 'if-match': etag },
    body: { ...source, features: [...source.features, declared(around, { line: 'north' })] },
  });
  await page.goto(`${daemon.url}/map/test-lake?draft=${id}&at=47.6540,-117.0792,16.5`);
  await page.locator('.line-key').getByText('As the order of its buoys would have it').waitFor();
  assert.deepEqual(page.faults, []);
});
