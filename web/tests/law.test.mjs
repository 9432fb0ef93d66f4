// What law holds and what was judged by it: maps for a later day, rulebooks, findings under a draft, judged time; with the
// real daemon. PICTURES=FOLDER takes a picture of each screen, as a desk and as a phone see it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { callerIn, logIn } from './support/account.mjs';
import { run } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { tracker } from './support/mqtt.mjs';

const PASSWORD = 'a long enough password 1';
const began = Date.now() - 150_000;
let daemon, browser, boats, rules;
const sessions = {};

async function as(user, password) {
  const session = await logIn(daemon, user, password);
  sessions[user] = session.cookie;
  return callerIn(daemon, session);
}

let manager;
before(async () => {
  daemon = await startDaemon();
  rules = daemon.rules;
  browser = await openBrowser();
  boats = await tracker(daemon.mqtt);
  const admin = await as('admin', daemon.password);
  for (const [user, role] of [
    ['manager', 'manager'],
    ['screen', 'viewer'],
  ])
    await admin('/accounts', { method: 'POST', body: { user, password: PASSWORD, role } });
  manager = await as('manager', PASSWORD);
  await as('screen', PASSWORD);
  // Too fast beside dock D-1; and far out, where nothing stands yet.
  for (const [vessel, way] of [
    ['WN-4417', run([-80, -510], [60, -510], 14, began)],
    ['WN-5500', run([-80, 0], [60, 0], 14, began)],
  ])
    for (const fix of way) await boats.publish(`buoyline/vessels/${vessel}/fix`, fix);
});
after(async () => {
  boats?.end();
  await browser?.close();
  await daemon?.stop();
});

const pages = new Set();
afterEach(async () => {
  for (const page of pages) await page.context().close();
  pages.clear();
});

async function open(path, { user = 'manager', size = 'desk' } = {}) {
  const page = await browser.page({ size });
  pages.add(page);
  const [key, value] = sessions[user].split('=');
  await page.context().addCookies([{ name: key, value, url: daemon.url }]);
  await page.goto(daemon.url + path);
  return page;
}

async function picture(page, name) {
  if (!process.env.PICTURES) return;
  mkdirSync(process.env.PICTURES, { recursive: true });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
}

/** A draft with one more dock, at x and y metres of the lake's middle. */
async function draftWith(name, id, at) {
  const { id: draft } = await manager('/waterways/test-lake/drafts', { method: 'POST', body: { name } });
  const { source } = await manager(`/drafts/${draft}`);
  source.features.push({
    type: 'Feature',
    id,
    properties: { kind: 'dock', lit: true },
    geometry: { type: 'LineString', coordinates: at },
  });
  await manager(`/drafts/${draft}`, { method: 'PUT', body: source, headers: { 'if-match': '*' } });
  return draft;
}
const FAR_OUT = [
  [-117.0801, 47.6495],
  [-117.0801, 47.65],
];

test('a map is published for a later time, stands in the history, and is withdrawn', async () => {
  const draft = await draftWith('winter docks', 'D-90', FAR_OUT);
  for (const size of ['desk', 'phone']) {
    const page = await open(`/map/test-lake?draft=${draft}`, { size });
    await page.getByText('Saved', { exact: true }).waitFor();
    // The phone has it behind its three dots.
    if (size === 'phone') await page.locator('.edit').getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByLabel('What was changed, and why').fill('a dock for the winter');
    await page.getByLabel('Reason to publish').fill('a test');
    await page.getByRole('button', { name: 'From a later time' }).click();
    const field = page.getByLabel(/^Valid from/);
    await field.fill('2020-01-01T00:00');
    await page.getByText('Choose a time that is to come.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Publish for then' }).isDisabled());
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await field.fill(`${day}T06:00`);
    await picture(page, `publish-later-${size}`);
    await page.getByRole('button', { name: 'Publish for then' }).click();
    await page.locator('.notice').getByText('in force from').waitFor();
    const [version] = await manager('/waterways/test-lake/versions');
    assert.deepEqual([version.is_coming, version.author], [true, 'manager']);

    // The draft still has it; its history tells what is to come.
    await page.goto(`${daemon.url}/map/test-lake?draft=${draft}`);
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.locator('.panel-tabs').getByRole('button', { name: 'Past' }).click();
    await page
      .getByText(/To come: from/)
      .first()
      .waitFor();
    await picture(page, `history-coming-${size}`);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByRole('button', { name: 'Withdraw it for good' }).click();
    await page
      .getByText(/Withdrawn by manager/)
      .first()
      .waitFor();
    await page.getByText(/To come: from/).waitFor({ state: 'detached' });
    await picture(page, `history-withdrawn-${size}`);
    assert.deepEqual(page.faults, []);
  }
});

test('what a draft would find opens in Review, marked as under the draft', async () => {
  const draft = await draftWith('dock far out', 'D-91', FAR_OUT);
  const from = new Date(began - 60_000).toISOString();
  const to = new Date(began + 60_000).toISOString();
  const { findings } = await manager(`/review?waterway=test-lake&from=${from}&to=${to}&draft=${draft}`);
  const gained = findings.find((one) => one.features.includes('D-91'));
  assert.ok(gained, JSON.stringify(findings.map((one) => one.text)));
  for (const size of ['desk', 'phone']) {
    const page = await open(
      `/review/test-lake?from=${from}&to=${to}&t=${gained.peak.t}&boats=WN-5500&f=${gained.id}&draft=${draft}`,
      { size },
    );
    await page.getByText('Under the draft “dock far out”').waitFor();
    await page.locator('.detail h1').getByText('D-91').waitFor();
    await page.locator('.map[data-ready]').waitFor();
    await picture(page, `under-draft-${size}`);
    assert.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0, 'nothing of it is stored');
    await page.getByRole('button', { name: 'See it as published' }).click();
    await page.getByText('Under the draft').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('D-91').count(), 0);
    assert.deepEqual(page.faults, []);
  }
});

test('whoever looks on sees what was judged and whether sources are heard', async () => {
  for (const size of ['desk', 'phone']) {
    const page = await open('/live/test-lake', { user: 'screen', size });
    await page.locator('.map[data-ready]').waitFor();
    const head = page.locator('.judged-head');
    await head.waitFor({ state: 'attached' });
    if (size === 'phone') await head.scrollIntoViewIfNeeded();
    await head.click();
    await page.locator('.judged-body').getByText('native').waitFor();
    await page.locator('.judged-body').getByText('WN-4417').waitFor();
    await picture(page, `judged-${size}`);
    assert.deepEqual(page.faults, []);
  }
});

test('a manager opens the wall display, where boats have other names', async () => {
  const page = await open('/public/test-lake');
  await page.getByRole('button', { name: 'Open the wall display' }).click();
  await page.getByRole('button', { name: 'Close the wall display' }).waitFor();
  await page.getByRole('link', { name: /^Wall display/ }).click();
  for (const fix of run([-80, 100], [60, 100], 6, Date.now())) await boats.publish('buoyline/vessels/WN-6610/fix', fix);
  for (const size of ['desk', 'phone']) {
    // Somebody who is not logged in, and the manager, see the same.
    const wall = size === 'desk' ? page : await browser.page({ size });
    pages.add(wall);
    if (size === 'phone') await wall.goto(`${daemon.url}/public/test-lake?view=wall`);
    await wall.getByText('3 boats out').waitFor();
    await wall.locator('.map[data-ready]').waitFor();
    await picture(wall, `wall-${size}`);
    assert.deepEqual(wall.faults, []);
  }
  const told = await (await fetch(`${daemon.url}/api/v1/public/waterways/test-lake/wall`)).text();
  assert.ok(!told.includes('WN-') && JSON.parse(told).boats.length === 3, told);
  await page.goto(`${daemon.url}/public/test-lake`);
  await page.getByRole('button', { name: 'Close the wall display' }).click();
  await page.getByRole('button', { name: 'Open the wall display' }).waitFor();
  const closed = await fetch(`${daemon.url}/api/v1/public/waterways/test-lake/wall`);
  assert.equal(closed.status, 404);
});

test('rulebooks that were in force are listed and compared, and a finding leads to its own', async () => {
  const [{ version: old }] = await manager('/rulebooks');
  const before = readFileSync(rules, 'utf8');
  writeFileSync(rules, before.replace('limit = "50 mph"', 'limit = "45 mph"'));
  let list = [];
  for (let tries = 0; tries < 100 && list.length < 2; tries++) {
    list = await manager('/rulebooks');
    await new Promise((done) => setTimeout(done, 200));
  }
  const [{ version: new_ }] = list;
  const { findings } = await manager('/findings?waterway=test-lake&vessel=WN-4417&rule=wake-zone');
  for (const size of ['desk', 'phone']) {
    const page = await open(`/findings/${findings[0].id}`, { user: 'screen', size });
    await page.getByRole('link', { name: `rulebook ${old.slice(0, 8)}` }).click();
    await page.getByRole('heading', { name: 'Rulebooks' }).waitFor();
    await page.getByLabel('Compare with').selectOption(new_);
    const row = page.locator('.rulebook-diff tbody tr');
    await row.first().waitFor();
    assert.equal(await row.count(), 1);
    assert.deepEqual(await row.locator('td').allInnerTexts(), ['50 mph', '45 mph']);
    await page
      .getByText(/In force from .* to /)
      .first()
      .waitFor();
    assert.match(page.url(), /\/rulebooks\/.*with=/);
    const changed = page.locator('.line-diff tr:is(.is-gone, .is-new)');
    assert.deepEqual(await changed.locator('code').allInnerTexts(), ['limit = "50 mph"', 'limit = "45 mph"']);
    const number = Number(await changed.first().locator('td').first().innerText());
    assert.equal(before.split('\n')[number - 1], 'limit = "50 mph"');
    const shown = await page.locator('.line-diff tr').count();
    await page
      .getByRole('button', { name: /lines the same/ })
      .first()
      .click();
    assert.ok((await page.locator('.line-diff tr').count()) > shown + 10);
    await picture(page, `rulebooks-${size}`);
    assert.deepEqual(page.faults, []);
  }
});

test('a finding leads a manager to the map it was judged by, and what differs since', async () => {
  const { findings } = await manager('/findings?waterway=test-lake&vessel=WN-4417&rule=wake-zone');
  const { law } = await manager(`/findings/${findings[0].id}`);
  const name = `map ${law.map_version.slice(0, 8)}`;
  const draft = await draftWith('a dock more', 'D-93', FAR_OUT);
  const { base_version } = await manager(`/drafts/${draft}`);
  await manager(`/drafts/${draft}/publish`, {
    method: 'POST',
    body: { comment: 'a dock more', skip_reason: 'a test' },
    headers: { 'if-match': `"${base_version}"` },
  });
  const page = await open(`/findings/${findings[0].id}`);
  await page.getByRole('link', { name }).click();
  await page.getByText(`You are looking at ${name}, which is not the one in force.`).waitFor();
  assert.match(page.url(), new RegExp(`/map/test-lake/history/${law.map_version}\\?at=`));
  const differing = page.locator('.change-list li');
  await differing.first().waitFor();
  assert.match((await differing.allInnerTexts()).join(), /D-93.*dock, added/s);
  await page.locator('.map[data-ready]').waitFor();
  await page.getByRole('link', { name: 'To the map in force' }).click();
  await page.locator('.draft-pick').waitFor();
  await page.goto(`${daemon.url}/map/test-lake/history/0123456789`);
  await page.getByText('Map 01234567 is not kept here').waitFor();
  assert.deepEqual(page.faults, []);
  // Who has no map editor sees which it was.
  const looker = await open(`/findings/${findings[0].id}`, { user: 'screen' });
  await looker.getByText(name).waitFor();
  assert.equal(await looker.getByRole('link', { name }).count(), 0);
});
