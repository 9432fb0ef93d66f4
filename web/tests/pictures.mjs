// Pictures of the checks that end the design, taken of a real daemon with boats on its lake, to be looked at:
// npm run pictures -- FOLDER [SCENE…]. LOOKS=day,grey,dusk,night and SIZES=desk,phone narrow them down; the size narrow,
// 320 px wide, and the scenes of text twice as large are taken where they say so.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, sleep } from './support/boats.mjs';
import { openBrowser } from './support/browser.mjs';
import { startDaemon } from './support/daemon.mjs';
import { twice } from './support/fits.mjs';
import { tracker } from './support/mqtt.mjs';
import { afternoon, flotillas } from './support/scene.mjs';

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
/** One session for all pages of a daemon: it takes no more than some logins a minute. */
const sessionOf = async (on) => {
  const answer = await fetch(`${on.url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'admin', password: on.password }),
  });
  const { csrf } = await answer.json();
  return { on, cookie: answer.headers.get('set-cookie').split(';')[0], csrf };
};
const session = await sessionOf(daemon);
const { cookie, csrf } = session;
const api = async (path, body, { method = body ? 'POST' : 'GET', headers = {} } = {}) => {
  const told = await fetch(`${daemon.url}/api/v1${path}`, {
    method,
    headers: { cookie, 'x-buoyline-csrf': csrf, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  if (!told.ok) throw new Error(`${path}: ${told.status} ${await told.text()}`);
  return told.status === 204 ? null : told.json();
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

// A draft that moves a dock, adds a buoy, takes the swim area away and lowers the limit of the marina.
const { id: draftId } = await api('/waterways/test-lake/drafts', { name: 'north buoys' });
const { source, etag } = await api(`/drafts/${draftId}`);
const moved = (ring) => ring.map(([lon, lat]) => [lon + 0.0012, lat]);
await api(
  `/drafts/${draftId}`,
  {
    ...source,
    features: [
      ...source.features
        .filter((one) => one.id !== 'swim')
        .map((one) =>
          one.id === 'D-1'
            ? { ...one, geometry: { ...one.geometry, coordinates: one.geometry.coordinates.map(moved) } }
            : one.id === 'marina'
              ? { ...one, properties: { ...one.properties, speed_limit: '4 mph' } }
              : one,
        ),
      {
        type: 'Feature',
        id: 'B-6',
        properties: { kind: 'safety_buoy', line: 'north', order: 6 },
        geometry: { type: 'Point', coordinates: [-117.0768, 47.6538] },
      },
    ],
  },
  { method: 'PUT', headers: { 'if-match': etag } },
);
const inDraft = `/map/test-lake?draft=${draftId}`;
/** Runs what would change, to its end. */
const ranDraft = async (page) => {
  await drawn(page);
  await page.locator('.panel-tabs').getByRole('button', { name: 'Effect' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.what-sum').waitFor();
};
const map = (page) => page.locator('.map[data-drawn], .map[data-ready]').first().waitFor();
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

/** Boats close together, for the scenes that want them. */
let fleet;
const sailing = async () => {
  if (fleet) return;
  fleet = await flotillas(voice);
  for (let tries = 0; tries < 60; tries++) {
    const { findings } = await api('/findings?waterway=test-lake&limit=200');
    const has = new Set(findings.map((one) => one.vessel));
    if (['pair-2', 'raft-3', 'row-1', 'row-6'].every((id) => has.has(id))) break;
    await sleep(1000);
  }
};

/** A draft with a dock at the edge of where a boat has passed, and what is published of it. */
const withDock = async (name, id, coordinates) => {
  const { id: draft } = await api('/waterways/test-lake/drafts', { name });
  const { source, etag } = await api(`/drafts/${draft}`);
  const dock = { type: 'Feature', id, properties: { kind: 'dock' }, geometry: { type: 'LineString', coordinates } };
  const body = { ...source, features: [...source.features, dock] };
  await api(`/drafts/${draft}`, body, { method: 'PUT', headers: { 'if-match': etag } });
  return draft;
};
const publish = async (draft, comment, valid_from) => {
  const { base_version } = await api(`/drafts/${draft}`);
  const headers = { 'if-match': `"${base_version}"` };
  return api(`/drafts/${draft}/publish`, { comment, valid_from, skip_reason: 'for a picture' }, { headers });
};
const once = (make) => {
  let made;
  return () => (made ??= make());
};
/** The lake's map again with a dock more, in force; and another for the day after tomorrow. */
const newer = once(async () => {
  await publish(
    await withDock('east dock', 'D-31', [
      [-117.0722, 47.6502],
      [-117.0722, 47.6497],
    ]),
    'the dock that was built in autumn',
  );
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const far = [
    [-117.0801, 47.6495],
    [-117.0801, 47.65],
  ];
  const draft = await withDock('winter docks', 'D-90', far);
  await publish(draft, 'docks for the winter', `${day}T14:00:00Z`);
  return { draft, versions: await api('/waterways/test-lake/versions') };
});
/** A finding there would be under a draft with a dock where boats pass. */
const gainedBy = once(async () => {
  const draft = await withDock('dock far out', 'D-91', [
    [-117.0841, 47.6512],
    [-117.0841, 47.6518],
  ]);
  // The boat comes round once in two minutes.
  for (let tries = 0; tries < 40; tries++) {
    const period = `from=${iso(Date.now() - 120_000)}&to=${iso(Date.now() - 2000)}`;
    const { findings } = await api(`/review?waterway=test-lake&${period}&draft=${draft}`);
    const gained = findings.find((one) => one.features.includes('D-91') && one.vessel === 'WN-7702');
    if (gained) return { draft, period, gained };
    await sleep(4000);
  }
  throw new Error('nothing is found by the dock of the draft');
});
const newRules = once(async () => {
  const text = readFileSync(daemon.rules, 'utf8');
  writeFileSync(daemon.rules, text.replace('limit = "50 mph"', 'limit = "45 mph"'));
  for (let tries = 0; tries < 100; tries++) {
    const list = await api('/rulebooks');
    if (list.length > 1) return list;
    await sleep(200);
  }
  throw new Error('the daemon does not take the new rulebook');
});
const wall = once(() => api('/waterways/test-lake/wall', { is_open: true }, { method: 'PUT' }));

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
  ...Object.fromEntries(
    [
      ['pair', '47.6545,-117.0795,15.2'],
      ['raft', '47.6455,-117.0801,16'],
      ['row', '47.6500,-117.0682,15.5'],
      ['all', '47.6500,-117.0770,14'],
    ].map(([name, at]) => [
      `live-15-${name}`,
      { path: `/live/test-lake?at=${at}&state=any`, before: sailing, act: drawn },
    ]),
  ),
  'live-15-list': {
    path: '/live/test-lake?at=47.6500,-117.0682,15.5&state=any',
    before: sailing,
    act: async (page) => {
      await drawn(page);
      const { x, y, width, height } = await page.locator('.map').boundingBox();
      for (const dx of [0, 20, -20, 40, -40]) {
        for (let dy = -200; dy <= 200 && !(await page.locator('.crowd').count()); dy += 24)
          await page.mouse.click(x + width / 2 + dx, y + height / 2 + dy);
      }
      await page.locator('.crowd').waitFor();
    },
  },
  'review-15-close': {
    path: () => {
      const to = Date.now() - 4000;
      return `/review/test-lake?from=${iso(to - 60_000)}&to=${iso(to)}&t=${iso(to - 20_000)}&boats=raft-1,raft-2,raft-3,WN-4417`;
    },
    before: sailing,
    act: async (page) => {
      await page.locator('.chart-flag').first().waitFor();
      await drawn(page);
    },
  },
  'live-10-strip': {
    path: '/live/test-lake?at=47.6453,-117.0800,17&v=WN-5050',
    act: async (page) => {
      await drawn(page);
      await page.locator('.boat-line').waitFor();
    },
  },
  'phone-25-boat': {
    path: '/live/test-lake?v=WN-4417&state=any',
    sizes: ['phone', 'narrow'],
    act: async (page) => {
      await drawn(page);
      await page.locator('.boat-line, .phone-finding').first().waitFor();
    },
  },
  'phone-25-quiet-boat': {
    path: '/live/test-lake?v=WN-7702&state=any',
    sizes: ['phone', 'narrow'],
    act: async (page) => {
      await drawn(page);
      await page.locator('.boat-line').waitFor();
    },
  },
  'phone-25-actions': {
    path: '/live/test-lake?v=WN-7702',
    sizes: ['phone', 'narrow'],
    act: async (page) => {
      await drawn(page);
      await page.locator('.map-controls .button').first().click();
      await page.getByRole('button', { name: 'Dive flag' }).click();
      await page.locator('.act-panel').waitFor();
    },
  },
  ...Object.fromEntries(
    [
      ['live', '/live/test-lake?state=any', '.card'],
      ['boat', '/live/test-lake?v=WN-7702&state=any', '.boat-line'],
      ['finding', `/live/test-lake?f=${gapped.id}&state=any`, '.phone-finding'],
      ['findings', '/findings', '.card'],
      ['explained', `/findings/${gapped.id}`, '.failure, h2'],
      ['review', review, '.transport'],
      ['editor', `${inDraft}&panel=form&sel=D-1`, '.edit-panel'],
      ['vessels', '/vessels', '.table'],
      ['admin', '/admin/sources', '.table'],
      ['public', '/public/test-lake', 'h1, h2'],
    ].map(([name, path, there]) => [
      `text-25-${name}`,
      {
        path,
        sizes: ['phone', 'narrow'],
        act: async (page) => {
          await page.locator(there).first().waitFor();
          await twice(page);
          await sleep(1500);
        },
      },
    ]),
  ),
  'state-24-empty': {
    path: '/live/test-lake',
    isQuiet: true,
    act: async (page) => {
      await drawn(page);
      await page.locator('.map-note').first().waitFor();
    },
  },
  'state-24-empty-findings': {
    path: '/findings',
    isQuiet: true,
    act: (page) => page.locator('.empty').first().waitFor(),
  },
  'state-24-empty-review': { path: '/review/test-lake', isQuiet: true, act: drawn },
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
  'map-published': { path: '/map/test-lake', act: drawn },
  'draft-22-both': {
    path: `${inDraft}&panel=features`,
    act: async (page) => {
      await drawn(page);
      const both = page.getByRole('button', { name: 'Both' });
      if (!(await both.isVisible())) await page.getByRole('button', { name: 'More' }).first().click();
      await both.click();
      await drawn(page);
    },
  },
  'draft-22-what': { path: inDraft, act: ranDraft },
  'draft-22-publish': {
    path: inDraft,
    act: async (page) => {
      await ranDraft(page);
      const publish = page.getByRole('button', { name: 'Publish', exact: true });
      if (!(await publish.isVisible())) await page.getByRole('button', { name: 'More' }).first().click();
      await publish.click();
      await page.locator('dialog .what-sum').waitFor();
    },
  },
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
      await page.locator('.orders').waitFor();
      await page.locator('.orders').scrollIntoViewIfNeeded();
      await sleep(500);
    },
  },
  vessels: { path: '/vessels', act: (page) => page.locator('.table').waitFor() },
  'admin-5': { path: '/admin/sources', act: (page) => page.locator('.table').waitFor() },
  public: { path: '/public/test-lake', act: (page) => page.getByText('within 50 ft of shore').waitFor() },
  'review-draft': {
    path: async () => {
      const { draft, period, gained } = await gainedBy();
      return `/review/test-lake?${period}&draft=${draft}&t=${gained.peak.t}&boats=${gained.vessel}`;
    },
    act: drawn,
  },
  'review-draft-gained': {
    path: async () => {
      const { draft, period, gained } = await gainedBy();
      return `/review/test-lake?${period}&draft=${draft}&t=${gained.peak.t}&boats=${gained.vessel}&f=${gained.id}`;
    },
    act: async (page) => {
      await page.getByText('Under the draft').first().waitFor();
      await drawn(page);
    },
  },
  'law-links': {
    path: `/findings/${gapped.id}`,
    act: (page) => page.getByRole('link', { name: /^rulebook/ }).scrollIntoViewIfNeeded(),
  },
  'map-version-now': {
    path: async () => {
      const { versions } = await newer();
      return `/map/test-lake/history/${versions.find((one) => one.is_in_force).version}`;
    },
    act: drawn,
  },
  'map-version-past': {
    path: async () => {
      await newer();
      const { law } = await api(`/findings/${gapped.id}`);
      return `/map/test-lake/history/${law.map_version}`;
    },
    act: drawn,
  },
  'map-version-none': {
    path: '/map/test-lake/history/0123456789abcdef',
    act: (page) => page.locator('.failure').waitFor(),
  },
  'map-coming': {
    path: async () => `/map/test-lake?draft=${(await newer()).draft}&panel=past`,
    act: async (page) => {
      await page
        .getByText(/To come: from/)
        .first()
        .waitFor();
      await drawn(page);
    },
  },
  'map-publish-later': {
    path: async () => {
      await newer();
      return inDraft;
    },
    act: async (page) => {
      await page.getByText('Saved', { exact: true }).waitFor();
      const publish = page.getByRole('button', { name: 'Publish', exact: true });
      if (!(await publish.isVisible())) await page.getByRole('button', { name: 'More' }).first().click();
      await publish.click();
      await page.getByRole('button', { name: 'From a later time' }).click();
      await page.getByLabel(/^Valid from/).scrollIntoViewIfNeeded();
    },
  },
  rulebooks: {
    path: async () => {
      await newRules();
      return '/rulebooks';
    },
    act: (page) => page.getByRole('heading', { name: 'Rulebooks' }).waitFor(),
  },
  'rulebooks-compared': {
    path: async () => {
      const [{ version: fresh }, { version: old }] = await newRules();
      return `/rulebooks/${old}?with=${fresh}`;
    },
    act: (page) => page.locator('.line-diff').waitFor(),
  },
  'rulebooks-lines': {
    path: async () => {
      const [{ version: fresh }, { version: old }] = await newRules();
      return `/rulebooks/${old}?with=${fresh}`;
    },
    act: (page) => page.locator('.line-diff .is-new').scrollIntoViewIfNeeded(),
  },
  wall: {
    path: async () => {
      await wall();
      return '/public/test-lake?view=wall';
    },
    act: drawn,
  },
  'public-wall-switch': {
    path: async () => {
      await wall();
      return '/public/test-lake';
    },
    act: (page) => page.getByRole('button', { name: 'Close the wall display' }).scrollIntoViewIfNeeded(),
  },
  judged: {
    path: '/live/test-lake',
    act: async (page) => {
      const head = page.locator('.judged-head');
      await head.waitFor({ state: 'attached' });
      await head.scrollIntoViewIfNeeded();
      await head.click();
      await page.locator('.judged-body').getByText('native').waitFor();
    },
  },
  'state-24-no-map-editor': {
    path: '/map/test-lake',
    before: (page) => page.route('**/api/v1/waterways/*/map', (route) => route.fulfill(problem(404, 'no map'))),
    act: (page) => page.locator('.draft-pick').waitFor(),
  },
  'state-24-empty-vessels': { path: '/vessels?q=nobody', act: (page) => page.locator('#content').waitFor() },
  'state-24-empty-public': { path: '/public/test-lake', isQuiet: true, act: drawn },
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

// A lake where nothing has been heard yet, for the scenes of nothing to show.
let quiet;
const quietSession = async () => (quiet ??= await sessionOf(await startDaemon()));

const names = Object.keys(SCENES).filter((name) => !wanted.length || wanted.some((one) => name.includes(one)));
for (const name of names) {
  const { path, before, act, after, isDaemons, isQuiet, sizes: ofScene } = SCENES[name];
  for (const size of ofScene?.filter((one) => one === 'narrow' || sizes.includes(one)) ?? sizes) {
    for (const look of looks.filter((one) => one !== 'grey' || !looks.includes('day'))) {
      if (isDaemons && look !== 'day') continue;
      const page = await browser.page({ size, palette: look === 'grey' ? 'day' : look, hasCache: false });
      page.setDefaultTimeout(90_000);
      const { on, cookie } = isQuiet ? await quietSession() : session;
      const [key, value] = cookie.split('=');
      await page.context().addCookies([{ name: key, value, url: on.url }]);
      try {
        await before?.(page);
        await page.goto(on.url + (typeof path === 'function' ? await path() : path));
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
await fleet?.stop();
line.end();
await browser.close();
await quiet?.on.stop();
await daemon.stop();
