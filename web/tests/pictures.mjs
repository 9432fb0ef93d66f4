// Pictures of the checks that end the design, taken of a real daemon with boats on its lake, to be looked at:
// npm run pictures -- FOLDER [SCENE…]. LOOKS=day,grey,dusk,night and SIZES=desk,phone narrow them down.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run, sleep } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { tracker } from './support/mqtt.mjs';
import { afternoon } from './support/scene.mjs';

const [folder = 'pictures', ...wanted] = process.argv.slice(2);
const looks = (process.env.LOOKS ?? 'day,grey,dusk,night').split(',');
const sizes = (process.env.SIZES ?? 'desk,phone').split(',');
mkdirSync(folder, { recursive: true });

const daemon = await startDaemon();
const browser = await openBrowser();
let line = await tracker(daemon.mqtt);
// While the daemon is away, boats speak to nobody.
const voice = { publish: (...said) => line.publish(...said).catch(() => undefined) };
const again = async () => {
  await daemon.resume();
  line = await tracker(daemon.mqtt);
};
const login = { user: 'admin', password: daemon.password };
const answer = await fetch(`${daemon.url}/api/v1/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(login),
});
const cookie = answer.headers.get('set-cookie').split(';')[0];
const { csrf } = await answer.json();
const api = async (path, body) => {
  const told = await fetch(`${daemon.url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { cookie, 'x-buoyline-csrf': csrf, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!told.ok) throw new Error(`${path}: ${told.status} ${await told.text()}`);
  return told.json();
};

// Findings of a while ago, with a gap in the track; then the afternoon goes on.
const past = Date.now() - 200_000;
const near = run([-80, -510], [60, -510], 14, past);
for (const fix of [...run([-300, -470], [-200, -490], 12, past - 50_000), ...near])
  await voice.publish('buoyline/vessels/WN-5521/fix', fix);
const boats = await afternoon(voice);
const until = new Date(Date.now() + 43 * 60_000).toISOString();
await api('/marks', { waterway: 'test-lake', kind: 'dive_flag', lat: 47.6516, lon: -117.0755, until });
for (let tries = 0; tries < 120; tries++) {
  const { findings } = await api('/findings?waterway=test-lake');
  const has = (vessel) => findings.some((one) => one.vessel === vessel);
  if (has('WN-4417') && has('WN-2290') && has('WN-5521')) break;
  await sleep(1000);
}
const { findings } = await api('/findings?waterway=test-lake&vessel=WN-5521');
const [gapped] = findings;
const iso = (ms) => new Date(ms).toISOString();
const span = `from=${iso(past - 75_000)}&to=${iso(past + 20_000)}`;
const review = `/review/test-lake?${span}&t=${gapped.peak.t}&boats=WN-5521`;

const map = (page) => page.locator('.map[data-ready]').waitFor();
const drawn = async (page) => {
  await map(page);
  // Software drawing takes its time: two looks alike, and it is drawn.
  let before = '';
  for (let tries = 0; tries < 4; tries++) {
    const now = (await page.locator('.map').screenshot()).toString('base64').length;
    if (String(now) === before) break;
    before = String(now);
    await sleep(700);
  }
};
const problem = (status, title) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ title, status }),
});

/** Scenes by the numbers of the checks they show; `act` brings the page there. */
const SCENES = {
  'live-1-5-13': {
    path: '/live/test-lake?state=any&v=WN-4417',
    act: async (page) => {
      await page.locator('.card').first().waitFor();
      await drawn(page);
    },
  },
  'live-15-crowded': { path: '/live/test-lake?at=47.6497,-117.0812,15.2', act: drawn },
  'live-10-strip': { path: '/live/test-lake?at=47.6453,-117.0800,17', act: drawn },
  'live-14-flag': { path: '/live/test-lake?at=47.6516,-117.0755,16', act: drawn },
  'list-16-waiting': {
    path: '/live/test-lake?state=any',
    act: async (page) => {
      await page.locator('.card').nth(1).waitFor();
      await page.locator('.findings-list').hover();
      const ended = Date.now() - 500;
      for (const fix of run([924, -70], [924, 70], 15, ended))
        await voice.publish(`buoyline/vessels/WN-${Math.floor(1000 + Math.random() * 9000)}/fix`, fix);
      await page
        .locator('.new-ones')
        .waitFor({ timeout: 20_000 })
        .catch(() => undefined);
    },
  },
  'card-17-acknowledged': {
    path: '/live/test-lake?state=any',
    act: async (page) => {
      const card = page.locator('.card.is-breach').first();
      await card.locator('.card-main').click();
      const button = page.getByRole('button', { name: 'Acknowledge' }).first();
      if (await button.count()) await button.click();
      await page.getByRole('button', { name: 'Warn' }).first().waitFor();
      await drawn(page);
    },
  },
  'review-18-19': {
    path: review,
    act: async (page) => {
      await page.locator('.chart-flag').first().waitFor();
      await drawn(page);
    },
  },
  'review-6-20-explained': {
    path: `${review}&f=${gapped.id}`,
    act: async (page) => {
      await page.getByText('What would change this').waitFor();
      await drawn(page);
    },
  },
  'review-table': {
    path: review,
    act: async (page) => {
      await page.locator('.chart-flag').first().waitFor();
      await page.locator('.values summary').click();
      await page.locator('.values table').scrollIntoViewIfNeeded();
    },
  },
  'findings-2': {
    path: `/findings/${gapped.id}`,
    act: (page) => page.getByText('What would change this').waitFor(),
  },
  'findings-area': {
    path: '/findings',
    act: async (page) => {
      await page.locator('.findings-screen').waitFor();
      if ((await page.getByRole('button', { name: 'Draw an area' }).count()) === 0)
        await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByRole('button', { name: 'Draw an area' }).click();
      await map(page);
      await page
        .getByLabel('Corners')
        .fill('47.6440,-117.0830; 47.6440,-117.0770; 47.6470,-117.0770; 47.6470,-117.0830');
      await sleep(2500);
    },
  },
  'report-1-print': {
    path: `/api/v1/findings/${gapped.id}/report`,
    act: (page) => page.emulateMedia({ media: 'print' }),
    isDaemons: true,
  },
  'draft-22': { path: '/map/test-lake', act: drawn },
  'import-23': {
    path: '/map/test-lake',
    act: async (page) => {
      await page.getByLabel('Name of the draft').fill('picture');
      await page.getByRole('button', { name: 'Begin a draft' }).click();
      await page.getByRole('button', { name: 'Import' }).click();
      await page.locator('input[type=file]').setInputFiles({
        name: 'docks.geojson',
        mimeType: 'application/geo+json',
        buffer: Buffer.from(
          JSON.stringify({
            type: 'FeatureCollection',
            features: [
              {
                type: 'Feature',
                id: 'D-9',
                properties: { kind: 'dock' },
                geometry: {
                  type: 'LineString',
                  coordinates: [
                    [47.6502, -117.0915],
                    [47.6502, -117.0908],
                  ],
                },
              },
            ],
          }),
        ),
      });
      await sleep(3000);
    },
  },
  vessels: { path: '/vessels', act: (page) => page.locator('.table').waitFor() },
  'admin-5': { path: '/admin/sources', act: (page) => page.locator('.table').waitFor() },
  public: { path: '/public/test-lake', act: (page) => page.getByText('within 50 ft of shore').waitFor() },
  'state-24-no-map': {
    path: '/live/test-lake',
    before: (page) => page.route('**/api/v1/waterways/*/map', (route) => route.fulfill(problem(404, 'no map'))),
    act: drawn,
  },
  'state-24-error': {
    path: '/findings',
    before: (page) =>
      page.route('**/api/v1/findings?**', (route) => route.fulfill(problem(503, 'the store cannot be read'))),
    act: (page) => page.locator('.failure').waitFor(),
  },
  'state-24-nowhere': { path: '/live/no-such-lake', act: (page) => page.locator('.failure').waitFor() },
  // The daemon goes away for these, so they come last.
  'state-24-reconnecting': {
    path: '/live/test-lake?state=any',
    act: async (page) => {
      await drawn(page);
      await daemon.halt();
      await page.locator('.line.is-reconnecting').waitFor();
    },
    after: again,
  },
  'state-24-offline': {
    path: '/live/test-lake?state=any',
    act: async (page) => {
      await drawn(page);
      await daemon.halt();
      await page.locator('.line.is-offline').waitFor({ timeout: 60_000 });
    },
    after: again,
  },
};

const names = Object.keys(SCENES).filter((name) => !wanted.length || wanted.some((one) => name.includes(one)));
for (const name of names) {
  const { path, before, act, after, isDaemons } = SCENES[name];
  for (const size of sizes) {
    for (const look of looks.filter((one) => one !== 'grey' || !looks.includes('day'))) {
      if (isDaemons && look !== 'day') continue;
      const page = await browser.page({ size, palette: look === 'grey' ? 'day' : look, hasCache: false });
      page.setDefaultTimeout(90_000);
      await page.context().request.post(`${daemon.url}/api/v1/login`, { data: login });
      try {
        await before?.(page);
        await page.goto(daemon.url + path);
        await page.locator('#content, main, body').first().waitFor();
        await act?.(page);
        await sleep(500);
        const shoot = (as) => page.screenshot({ path: join(folder, `${name}-${size}-${as}.png`) });
        if (look !== 'grey') await shoot(look);
        if (look === 'grey' || (look === 'day' && looks.includes('grey'))) {
          const client = await page.context().newCDPSession(page);
          await client.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' });
          await shoot('grey');
        }
      } catch (fault) {
        console.log(`${name} ${size} ${look}: ${fault.message.split('\n')[0]}`);
        await page.screenshot({ path: join(folder, `${name}-${size}-${look}-FAULT.png`) }).catch(() => undefined);
        process.exitCode = 1;
      }
      for (const fault of page.faults) console.log(`${name} ${size} ${look}: ${fault}`);
      for (const one of page.refused) console.log(`${name} ${size} ${look}: ${one}`);
      await after?.();
      await page.context().close();
      console.log(`${name} ${size} ${look}`);
    }
  }
}
await boats.stop();
line.end();
await browser.close();
await daemon.stop();
