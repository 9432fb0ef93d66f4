// The phone in a gloved hand: what is pressed is large enough, and nothing is cut, at 390 and 320 px, with text as it is and
// twice as large.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { run, sleep } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { misfits, smallTargets, twice } from './support/fits.mjs';
import { tracker } from './support/mqtt.mjs';

let daemon, browser, boats, finding, draft, law, rulebooks;

before(async () => {
  daemon = await startDaemon();
  browser = await openBrowser();
  boats = await tracker(daemon.mqtt);
  await boats.publish('buoyline/vessels/WN-4417/profile', { name: 'WN 4417 RX', class: 'motorboat', length_m: 6.4 });
  for (const fix of run([-80, -510], [60, -510], 14, Date.now() - 1000))
    await boats.publish('buoyline/vessels/WN-4417/fix', fix);
  const headers = { 'content-type': 'application/json' };
  const login = { user: 'admin', password: daemon.password };
  const api = `${daemon.url}/api/v1`;
  const answer = await fetch(`${api}/login`, { method: 'POST', headers, body: JSON.stringify(login) });
  headers.cookie = answer.headers.get('set-cookie').split(';')[0];
  headers['x-buoyline-csrf'] = (await answer.json()).csrf;
  const body = JSON.stringify({ name: 'north buoys' });
  draft = await (await fetch(`${api}/waterways/test-lake/drafts`, { method: 'POST', headers, body })).json();
  const read = async (path) => (await fetch(api + path, { headers })).json();
  for (let tries = 0; tries < 60 && !finding; tries++) {
    await sleep(500);
    [finding] = (await read('/findings?waterway=test-lake')).findings;
  }
  [{ law }] = await read('/waterways');
  const open = JSON.stringify({ is_open: true });
  await fetch(`${api}/waterways/test-lake/wall`, { method: 'PUT', headers, body: open });
  writeFileSync(daemon.rules, readFileSync(daemon.rules, 'utf8').replace('limit = "50 mph"', 'limit = "45 mph"'));
  for (let tries = 0; tries < 60 && !(rulebooks?.length > 1); tries++) {
    await sleep(500);
    rulebooks = await read('/rulebooks');
  }
});
after(async () => {
  boats?.end();
  await browser?.close();
  await daemon?.stop();
});

const phone = async (size) => {
  const page = await browser.page({ size, hasCache: false });
  await page
    .context()
    .request.post(`${daemon.url}/api/v1/login`, { data: { user: 'admin', password: daemon.password } });
  return page;
};

/** Screens by name: where, and what says that they are there. */
const screens = () => {
  const iso = (ms) => new Date(Date.parse(finding.start) + ms).toISOString();
  const editor = `/map/test-lake?draft=${draft.id}`;
  return [
    ['Live', '/live/test-lake?state=any', '.card'],
    ['Live with a boat', '/live/test-lake?v=WN-4417&state=any', '.boat-line, .phone-finding'],
    ['Live with a finding', `/live/test-lake?f=${finding.id}&state=any`, '.phone-finding'],
    ['Findings', '/findings', '.card'],
    ['a finding', `/findings/${finding.id}`, 'text=What would change this'],
    ['Review', `/review/test-lake?from=${iso(-60_000)}&to=${iso(60_000)}&boats=WN-4417`, '.chart-plot'],
    ['drafts', '/map/test-lake', '.draft-pick'],
    ['features', `${editor}&panel=features`, '.edit-scroll'],
    ['a form', `${editor}&panel=form&sel=D-1`, '.edit-scroll'],
    ['lint', `${editor}&panel=lint`, '.fault'],
    ['what would change', `${editor}&panel=what`, '.what'],
    ['Vessels', '/vessels', '.table'],
    ['Admin, sources', '/admin/sources', 'h1'],
    ['Admin, accounts', '/admin/accounts', 'h1'],
    ['Admin, audit', '/admin/audit', 'h1'],
    [
      'Review under a draft',
      `/review/test-lake?from=${iso(-60_000)}&to=${iso(60_000)}&draft=${draft.id}`,
      '.under-draft',
    ],
    ['the history', `${editor}&panel=past`, '.version'],
    ['a version', `/map/test-lake/history/${law.map_version}`, '.edit-scroll h2'],
    ['rulebooks', `/rulebooks/${rulebooks[1].version}?with=${rulebooks[0].version}`, '.line-diff'],
    ['the wall display', '/public/test-lake?view=wall', '.wall-head'],
    ['the public view', '/public/test-lake', 'h1'],
    ['no such waterway', '/live/no-such-lake', '.failure'],
  ];
};

for (const size of ['phone', 'narrow']) {
  test(`nothing is cut or wider than the window, text twice as large too (${size})`, async () => {
    const page = await phone(size);
    const found = [];
    for (const [name, path, there] of screens()) {
      await page.goto(daemon.url + path);
      await page.locator(there).first().waitFor();
      await sleep(500);
      for (const one of await misfits(page)) found.push(`${name}: ${one}`);
      await twice(page);
      await sleep(300);
      for (const one of await misfits(page)) found.push(`${name}, text twice as large: ${one}`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test('what is pressed on the phone is large enough', async () => {
  const page = await phone('phone');
  const found = [];
  for (const [name, path, there] of screens()) {
    await page.goto(daemon.url + path);
    await page.locator(there).first().waitFor();
    await sleep(300);
    const least = async (selector, px) => {
      for (const one of await smallTargets(page, selector, px)) found.push(`${name}: ${one}, not ${px}`);
    };
    await least(
      '.phone-foot > *, .boat-acts .button, .outcomes .button, .act-panel .button, .map-controls .button',
      56,
    );
    await least('.button, .chip, select, input:not([type=checkbox], [type=radio])', 44);
    await least('a[href], button:not(.block)', 24);
  }
  assert.deepEqual(found, []);

  await page.goto(`${daemon.url}/live/test-lake`);
  await page.locator('.map-controls .button').first().click();
  await page.getByRole('button', { name: 'Dive flag' }).click();
  await page.locator('.act-panel').waitFor();
  assert.deepEqual(await smallTargets(page, '.action-bar .button, .act-panel .button', 56), []);
  await page.context().close();
});

test('the big line is read at arm’s length, and its buttons are within the thumb’s reach', async () => {
  const page = await phone('phone');
  await boats.publish('buoyline/vessels/passing/fix', {
    t: new Date().toISOString(),
    lat: 47.65,
    lon: -117.08,
    sog_kn: 20,
    cog_deg: 90,
  });
  await page.goto(`${daemon.url}/live/test-lake?v=passing`);
  const speed = page.locator('.boat-line .readout-value b').first();
  await speed.waitFor();
  assert.ok((await speed.evaluate((node) => parseFloat(getComputedStyle(node).fontSize))) >= 44);
  const { height } = page.viewportSize();
  for (const one of await page.locator('.boat-acts .button, .phone-foot > *').all()) {
    const box = await one.boundingBox();
    assert.ok(box.y > height / 2 && box.y + box.height <= height + 1, JSON.stringify(box));
  }
  await page.context().close();
});
