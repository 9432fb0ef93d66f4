// Checks of the design that can be measured: what is drawn is what is judged, nothing is left out silently, and where there
// is nothing the screen says so and what to do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, KN_PER_MPH, LAKE, run, sleep } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { tracker } from './support/mqtt.mjs';
import { platesOn } from './support/plates.mjs';
import { EDGE } from './support/scene.mjs';

let daemon, browser, boats, login;

before(async () => {
  daemon = await startDaemon();
  login = { user: 'admin', password: daemon.password };
  browser = await openBrowser();
  boats = await tracker(daemon.mqtt);
});
after(async () => {
  boats?.end();
  await browser?.close();
  await daemon?.stop();
});

async function loggedIn(options) {
  const page = await browser.page(options);
  await page.context().request.post(`${daemon.url}/api/v1/login`, { data: login });
  return page;
}
const tell = (vessel, [x, y], mph) =>
  boats.publish(`buoyline/vessels/${vessel}/fix`, {
    t: new Date().toISOString(),
    ...at(x, y),
    sog_kn: mph * KN_PER_MPH,
    cog_deg: 20,
    accuracy_m: 2,
  });

test('a lake without boats and findings says so, and what to do', async () => {
  const page = await loggedIn();
  await page.goto(`${daemon.url}/live/test-lake`);
  const note = page.locator('.map-note');
  await note.getByText('No boats have reported yet.').waitFor();
  assert.equal(await note.getByRole('link', { name: 'Review a recording' }).getAttribute('href'), '/review/test-lake');
  assert.equal(await note.getByRole('link', { name: /silent/ }).getAttribute('href'), '/admin/sources');
  const list = page.locator('.findings-list');
  await list.getByText('No findings today.').waitFor();
  await list.getByRole('link', { name: 'Review a recording' }).waitFor();

  await page.goto(`${daemon.url}/findings`);
  await page.getByText('No findings are stored.').waitFor();
  await page.getByRole('link', { name: 'Review a recording' }).waitFor();
  await page.goto(`${daemon.url}/findings?boat=WN-1`);
  await page.getByText('No findings under “WN-1”. Take that filter away to see more.').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

/** Metres from a place of the lake's plane to the nearest edge of polygons in degrees. */
function toEdge([x, y], polygons) {
  const north_m = 111_195;
  const east_m = north_m * Math.cos((LAKE.lat * Math.PI) / 180);
  let least = Infinity;
  for (const ring of polygons.flat()) {
    const plane = ring.map(([lon, lat]) => [(lon - LAKE.lon) * east_m - x, (lat - LAKE.lat) * north_m - y]);
    for (let i = 1; i < plane.length; i++) {
      const [[ax, ay], [bx, by]] = [plane[i - 1], plane[i]];
      const [dx, dy] = [bx - ax, by - ay];
      const along = Math.max(0, Math.min(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy || 1)));
      least = Math.min(least, Math.hypot(ax + along * dx, ay + along * dy));
    }
  }
  return least;
}

test('the edge of the strip is where the distance shown says it is', async () => {
  const page = await loggedIn();
  const { features } = await (await page.context().request.get(`${daemon.url}/api/v1/waterways/test-lake/map`)).json();
  const strip = features.find((one) => one.properties.derived === 'strip');
  const polygons = strip.geometry.type === 'Polygon' ? [strip.geometry.coordinates] : strip.geometry.coordinates;
  // Round corners are drawn of straight pieces, each half a pixel off at most at this zoom.
  assert.ok(toEdge(EDGE, polygons) < 0.25, `the edge is ${toEdge(EDGE, polygons)} m from a place 50 ft off the corner`);

  const line = page.locator('.boat-line');
  await tell('edge', EDGE, 4);
  await page.goto(`${daemon.url}/live/test-lake?v=edge&at=47.6453,-117.0800,17`);
  await line.getByText('to dock D-1').waitFor();
  const distance = async () => Number(await line.locator('.readout', { hasText: 'Nearest' }).locator('b').innerText());
  assert.ok(Math.abs((await distance()) - 50) < 0.35, `${await distance()} ft`);
  // Half a metre nearer is within, half a metre farther is not.
  for (const [step, isWithin] of [
    [-0.5, true],
    [0.5, false],
  ]) {
    await sleep(1000);
    await tell('edge', [EDGE[0] + step * Math.SQRT1_2, EDGE[1] + step * Math.SQRT1_2], 4);
    const shown = line.locator('.readout', { hasText: 'Limit here' }).locator('b');
    await page.waitForFunction(
      ([node, isLow]) => (node.textContent === '5') === isLow,
      [await shown.elementHandle(), isWithin],
    );
  }
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('boats whose name has no room are counted', async () => {
  const page = await loggedIn();
  for (let i = 0; i < 8; i++) await tell(`berth-${i}`, [-200 + 3 * (i % 3), 100 + 3 * Math.floor(i / 3)], 4);
  const middle = at(-200, 100);
  await page.goto(`${daemon.url}/live/test-lake?at=${middle.lat},${middle.lon},16`);
  const note = page.locator('.crowd-note');
  await note.waitFor();
  const counts = async () =>
    /(\d+) boats, names for (\d+)/
      .exec(await note.innerText())
      .slice(1)
      .map(Number);
  // The first picture has none yet.
  for (let tries = 0; tries < 30 && (await counts())[1] === 0; tries++) await sleep(500);
  const [inView, named] = await counts();
  assert.equal(inView, 8);
  assert.ok(named >= 1 && named < 8, `${named} names`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('plates of boats at one berth do not cover each other, and each boat can be chosen', async () => {
  const page = await loggedIn();
  const names = [1, 2, 3, 4, 5].map((i) => `raft-${i}`);
  // One after the other along dock D-1, three metres apart.
  for (const [i, name] of names.entries())
    for (const fix of run([8, -560 + 3 * i], [8, -526 + 3 * i], 9, Date.now() - 500))
      await boats.publish(`buoyline/vessels/${name}/fix`, fix);
  const place = at(8, -520);
  await page.goto(`${daemon.url}/live/test-lake?at=${place.lat},${place.lon},16&state=any`);
  await page.locator('.card', { hasText: 'raft-5' }).first().waitFor();
  const plates = async (many) => {
    let found;
    for (let tries = 0; tries < 40; tries++) {
      found = await platesOn(page);
      if (found === many) break;
      await sleep(500);
    }
    return found;
  };
  assert.equal(await plates(1), 1, 'one plate for the five');

  // It opens the list of them, where the keyboard is at once; each has a line.
  const box = await page.locator('.map').boundingBox();
  const open = async () => {
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2 - 40);
    await page.locator('.crowd').getByText('5 boats with findings here').waitFor();
  };
  await open();
  assert.deepEqual((await page.locator('.crowd-row b').allInnerTexts()).sort(), names);
  assert.match(await page.locator('.crowd-row').first().innerText(), /^Breach\s*raft-\d\s*9\.0 \/ 5 mph$/);
  const [, second] = await page.locator('.crowd-row b').allInnerTexts();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('.boat-line').getByText(second).waitFor();
  assert.equal(await page.locator('.crowd').count(), 0);
  assert.match(page.url(), new RegExp(`v=${second}&`));
  // The chosen boat has its own, beside that of the other four.
  assert.equal(await plates(2), 2, 'the plate of the chosen boat, and one for the others');
  await page.keyboard.press('Escape');
  assert.equal(await plates(1), 1);

  // A second tab stop walks them one by one.
  const walker = page.locator('.walker');
  await walker.focus();
  const walked = new Set();
  for (let before = await walker.innerText(); walked.size < names.length;) {
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(([node, text]) => node.innerText !== text, [await walker.elementHandle(), before]);
    before = await walker.innerText();
    const [name] = /raft-\d/.exec(before);
    assert.ok(!walked.has(name), `${name} twice`);
    walked.add(name);
    await page.keyboard.press('Enter');
    await page.locator('.boat-line').getByText(name).waitFor();
  }
  await page.keyboard.press('Escape');

  // Nearer they part.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Escape');
  await plates(1);
  await open();
  await page.locator('.crowd').getByRole('button', { name: 'Zoom in' }).click();
  assert.equal(await plates(5), 5, 'each its own');
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('zones and boats are on screen before the map library is, and in the same place', async () => {
  const page = await loggedIn({ hasCache: false });
  let letCome;
  const isHeld = new Promise((done) => {
    letCome = done;
  });
  await page.route('**/assets/maplibre-*.js', async (route) => {
    await isHeld;
    await route.continue();
  });
  await tell('early', [-200, 0], 4);
  const shown = at(-100, 0);
  await page.goto(`${daemon.url}/live/test-lake?at=${shown.lat},${shown.lon},16`);
  await page.locator('.panel-tabs').getByText('Boats').waitFor();
  // The boat is 100 m west of the middle: a disc in the colour of its speed on the colour of water.
  const metresPerPixel = (78_271.517 * Math.cos((LAKE.lat * Math.PI) / 180)) / 2 ** 16;
  const colours = () =>
    page.locator('.map-sketch').evaluate(
      (canvas, west_px) =>
        [west_px, 0].map((left) => {
          const ratio = canvas.width / canvas.clientWidth;
          const [x, y] = [canvas.clientWidth / 2 - left, canvas.clientHeight / 2].map((px) => Math.round(px * ratio));
          return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)].join();
        }),
      100 / metresPerPixel,
    );
  for (let tries = 0; tries < 60 && (await colours())[0] !== '27,105,166'; tries++) await sleep(500);
  assert.deepEqual(await colours(), ['27,105,166', '205,226,238'], 'a boat, water');
  letCome();
  await page.locator('.map[data-drawn]').waitFor();
  assert.equal(await page.locator('.map-sketch').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
