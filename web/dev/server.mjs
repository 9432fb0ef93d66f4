// Plays the made-up lake through the console's API, for work on the console alone: `npm run fixture`, then `npm run dev`.
// Serves `dist/` too, under the daemon's content policy. FLEET=2000 adds boats, SUN=day|dusk|night sets the hour.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { boatAt, known, map, MPH, STRIP } from './lake.mjs';

const port = Number(process.env.PORT ?? 8090);
const fleet = Math.max(known, Number(process.env.FLEET ?? 0));
const dist = join(import.meta.dirname, '../dist');
const began = Date.now();
const iso = (ms) => new Date(ms).toISOString();
const hours = { day: 1.63, dusk: -0.2, night: -1.5 }[process.env.SUN ?? 'day'];
const sun = () => {
  const sunset = began + hours * 3600e3;
  return {
    sunset: iso(sunset),
    sunrise: iso(sunset + 8.2 * 3600e3),
    night_from: iso(sunset + 1800e3),
    night_until: iso(sunset + 7.7 * 3600e3),
    is_night: hours < -0.5,
  };
};
const waterway = () => ({
  id: 'cedar-lake',
  name: 'Cedar Lake',
  time_zone: 'America/Los_Angeles',
  bbox: null,
  law: {
    map_version: '7f3ac21e',
    rulebook_version: '2b9e04d7',
    rulebook_name: 'Spokane',
    since: iso(began),
    fault: null,
  },
  sun: sun(),
  units: { speed: 'mph', distance: 'ft' },
  limits: { cap_mps: 50 * MPH, night_mps: 15 * MPH, wake_mps: 5 * MPH, strip_m: STRIP },
  conditions,
  quiet: [],
  min_confidence: 0.5,
});
let conditions = null;
let marks = [
  {
    id: 'flag-1',
    kind: 'dive_flag',
    lat: 47.65,
    lon: -117.0733,
    since: iso(began),
    until: iso(began + 43 * 60e3),
    by: 'M. Ortiz',
  },
];
const findings = new Map();
const outcomes = new Map();
let seq = 0;
const clients = new Set();
let draft = null;
const send = (event, body, id) => {
  for (const to of clients) to.write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(body)}\n\n`);
};

function finding(id, more) {
  const made = {
    id,
    revision: 0,
    waterway: 'cedar-lake',
    other: null,
    reading: 'both',
    map_version: '7f3ac21e',
    rulebook_version: '2b9e04d7',
    made_at: iso(Date.now()),
    state: 'new',
    is_weak: false,
    features: [],
    citation: more.clause,
    confidence: 0.99,
    verdict: 'breach',
    status: 'open',
    end: null,
    ...findings.get(id),
    ...more,
  };
  made.revision += 1;
  made.seq = ++seq;
  findings.set(id, made);
  send('finding', made, seq);
  return made;
}

const old = (id, ago, more) =>
  finding(id, { start: iso(began - ago * 1000), end: iso(began - ago * 1000 + 12000), status: 'closed', ...more });
old('f-6', 5200, {
  rule: 'wake-zone',
  clause: 'SMC 10.14.140(B)(1)',
  title: 'Wake speed near a buoy',
  vessel: 'WN-7120',
  text: '9.8 mph, 35 ft from buoy B-6; the limit within 50 ft is 5 mph.',
  limit: { speed_mps: 5 * MPH, distance_m: STRIP },
  peak: {
    t: iso(began - 5199000),
    lat: 47.6527,
    lon: -117.0812,
    speed_mps: 9.8 * MPH,
    distance_m: 10.7,
    feature: 'B-6',
  },
  state: 'warned',
  confidence: 0.96,
});
old('f-5', 6100, {
  rule: 'ski-following',
  clause: 'SMC 10.14.170(F)',
  title: 'Following a skier',
  vessel: 'WN-3077',
  other: 'WN-1180',
  text: 'Possibly 284 ± 52 ft behind the skier of WN 1180 AB for 12 s; 300 ft required (skier’s place estimated).',
  limit: { distance_m: 91.44 },
  peak: { t: iso(began - 6099000), lat: 47.6474, lon: -117.0712, distance_m: 86.6 },
  verdict: 'possible',
  confidence: 0.62,
});
old('f-4', 9400, {
  rule: 'speed-cap',
  clause: 'SMC 10.14.140(A)',
  title: 'Speed cap',
  vessel: 'marine-2',
  text: '54.2 mph on open water; the limit is 50 mph.',
  limit: { speed_mps: 50 * MPH },
  peak: { t: iso(began - 9399000), lat: 47.6484, lon: -117.0852, speed_mps: 54.2 * MPH },
  state: 'dismissed',
});
old('f-3', 9900, {
  rule: 'wake-zone',
  clause: 'SMC 10.14.140(B)(2)',
  title: 'Wake speed near a dock',
  vessel: 'WN-2204',
  text: 'Possibly 5.4 ± 1.9 mph, 48 ft from dock D-9; the limit within 50 ft is 5 mph.',
  limit: { speed_mps: 5 * MPH, distance_m: STRIP },
  peak: { t: iso(began - 9899000), lat: 47.6464, lon: -117.0882, speed_mps: 5.4 * MPH },
  verdict: 'possible',
  confidence: 0.38,
  is_weak: true,
});

let before = new Map();
function tick() {
  const now = Date.now();
  const t = now / 1000;
  const boats = [];
  for (let i = 0; i < fleet; i++) {
    const boat = { ...boatAt(i, t), t: iso(now), received_at: iso(now) };
    if (boat.id === 'WN-0452') {
      boat.t = boat.received_at = iso(began - 94000);
      Object.assign(boat, { lat: 47.6497, lon: -117.0861 });
    }
    const over =
      boat.limit && boat.sog_mps > boat.limit.speed_mps * 1.05 && boat.id.startsWith('WN-') ? boat.limit : null;
    const was = before.get(boat.id);
    if (over && (boat.id === 'WN-4417' || boat.id === 'WN-2290')) {
      const isPossible = boat.id === 'WN-2290';
      const id = was ?? `f-${boat.id}-${now}`;
      const mph = (boat.sog_mps / MPH).toFixed(1);
      if (!was || Math.floor(t) % 5 === 0) {
        finding(id, {
          rule: over.rule,
          clause: over.clause,
          title: isPossible ? 'Inshore area' : 'Wake speed near a dock',
          vessel: boat.id,
          ...(was ? {} : { start: iso(now) }),
          text: isPossible
            ? `Possibly ${mph} ± 2.0 mph inside the buoy line (buoys 3–5); the limit there is 5 mph.`
            : `${mph} mph, ${Math.round(boat.nearest.distance_m / 0.3048)} ft from dock ${boat.nearest.feature}; the limit within 50 ft is 5 mph.`,
          limit: { speed_mps: over.speed_mps, distance_m: STRIP },
          peak: {
            t: iso(now),
            lat: boat.lat,
            lon: boat.lon,
            speed_mps: boat.sog_mps,
            distance_m: boat.nearest.distance_m,
            feature: boat.nearest.feature,
          },
          verdict: isPossible ? 'possible' : 'breach',
          confidence: isPossible ? 0.71 : 0.993,
          features: [boat.nearest.feature],
        });
      }
      before.set(boat.id, id);
      boat.open = [id];
    } else if (was) {
      finding(was, { status: 'closed', end: iso(now) });
      before.delete(boat.id);
    }
    boats.push(boat);
  }
  latest = boats;
  send('boats', { at: iso(now), boats: boats.filter((boat) => boat.id !== 'WN-0452'), gone: [] });
}
let latest = [];
setInterval(tick, 1000);
tick();

function detail(f) {
  return {
    finding: f,
    revisions: [f],
    outcomes: outcomes.get(f.id) ?? [],
    clause: {
      citation: f.clause,
      title: f.title,
      text: 'A vessel shall not exceed five miles per hour or wake speed when within fifty feet of any: … dock or pier',
    },
    law: {
      map_version: f.map_version,
      rulebook_version: f.rulebook_version,
      rulebook_name: 'Spokane',
      reading: f.reading,
    },
    measured: [
      {
        what: 'speed',
        value: f.peak.speed_mps ?? null,
        error: 0.13,
        limit: f.limit.speed_mps ?? null,
        margin: 3.3,
        unit: 'mps',
      },
      { what: 'distance', value: f.peak.distance_m ?? null, error: 4, limit: STRIP, margin: 5.8, unit: 'm' },
      { what: 'time', value: 4.2, error: null, limit: null, margin: null, unit: 's' },
    ],
    odds: {
      confidence: f.confidence,
      errors_used: ['speed as reported by the receiver ± 0.3 mph', 'position ± 13 ft'],
      interpolated_s: 0.6,
    },
    would_change: [
      { what: 'speed', text: 'only an error of 7.4 mph, 21 times the stated one.' },
      { what: 'position', text: 'possible if the whole pass lay 5 ft farther out; clear from 19 ft.' },
      { what: 'map', text: 'D-19 surveyed to ± 3 ft; without D-19, no finding.' },
      { what: 'reading', text: 'same under both readings of “wake speed”.' },
    ],
    sun: sun(),
    permits: [],
  };
}

function review(query) {
  const from = Date.parse(query.get('from')),
    to = Date.parse(query.get('to'));
  const ids = (query.get('vessels') ?? '').split(',').filter(Boolean);
  const vessels = Array.from({ length: known }, (_, i) => i)
    .filter((i) => boatAt(i, 0).id !== 'WN-0452')
    .map((i) => {
      const fixes = {
        t_ms: [],
        lat: [],
        lon: [],
        sog_mps: [],
        is_derived: [],
        cog_deg: [],
        accuracy_m: [],
        limit_mps: [],
        limit_rule: [],
        distance_m: [],
        nearest: [],
      };
      const limit_reasons = [],
        features = [],
        gaps = [];
      const skier = { t_ms: [], lat: [], lon: [], error_m: [], is_estimated: [] };
      let last = null;
      for (let t = from; t <= to; t += 1000) {
        if (i < 3 && t - from > 20000 && t - from < 38000) continue;
        const b = boatAt(i, t / 1000);
        if (last !== null && t - last > 10000)
          gaps.push({ from_ms: last - from, to_ms: t - from, reason: 'gap too long' });
        last = t;
        const put = (list, value, same) => {
          const at = list.findIndex(same);
          return at < 0 ? list.push(value) - 1 : at;
        };
        fixes.t_ms.push(t - from);
        fixes.lat.push(b.lat);
        fixes.lon.push(b.lon);
        fixes.sog_mps.push(b.sog_mps);
        fixes.is_derived.push(i === 3);
        fixes.cog_deg.push(b.cog_deg);
        fixes.accuracy_m.push(b.accuracy_m);
        fixes.limit_mps.push(b.limit.speed_mps);
        fixes.limit_rule.push(put(limit_reasons, b.limit, (one) => one.reason === b.limit.reason));
        fixes.distance_m.push(b.nearest.distance_m);
        fixes.nearest.push(
          put(
            features,
            { id: b.nearest.feature, kind: 'dock', name: `dock ${b.nearest.feature}` },
            (one) => one.id === b.nearest.feature,
          ),
        );
        if (b.tow) {
          skier.t_ms.push(t - from);
          skier.lat.push(b.tow.skier.lat);
          skier.lon.push(b.tow.skier.lon);
          skier.error_m.push(8);
          skier.is_estimated.push(true);
        }
      }
      const b = boatAt(i, 0);
      return {
        id: b.id,
        name: b.name,
        class: b.class,
        tow_periods: [],
        fixes,
        limit_reasons,
        features,
        gaps,
        refused: i === 0 ? [{ t_ms: 5000, lat: 47.65, lon: -117.07, reason: 'implausible' }] : [],
        skier: skier.t_ms.length ? skier : null,
        judged_s: 90,
        not_judged_s: 18,
      };
    });
  const chosen = ids.length ? vessels.filter((v) => ids.includes(v.id)) : vessels;
  return {
    from: iso(from),
    to: iso(to),
    time_zone: 'America/Los_Angeles',
    law: waterway().law,
    vessels: chosen,
    findings: [...findings.values()].filter((f) => Date.parse(f.start) < to && (!f.end || Date.parse(f.end) > from)),
    sun: [],
    night: [],
    overview: { bin_s: 10, boats: Array.from({ length: Math.ceil((to - from) / 10000) }, () => known) },
  };
}

const body = (request) =>
  new Promise((done) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      try {
        done(text ? JSON.parse(text) : {});
      } catch {
        done(text);
      }
    });
  });
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain',
  '.webmanifest': 'application/manifest+json',
};
const CSP =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const json = (value, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(value === undefined ? '' : JSON.stringify(value));
  };
  const path = url.pathname.startsWith('/api/v1')
    ? url.pathname.slice(7).split('/').slice(1).map(decodeURIComponent)
    : null;
  if (!path) {
    const file = url.pathname.startsWith('/assets/') || extname(url.pathname) ? url.pathname : '/index.html';
    try {
      const content = await readFile(join(dist, file));
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'content-security-policy': CSP,
        'cache-control': file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      });
      return response.end(content);
    } catch {
      response.writeHead(404);
      return response.end();
    }
  }
  const [head, id, part] = path;
  const method = request.method;
  const sent = method === 'GET' ? null : await body(request);
  if (head === 'me')
    return json({
      user: 'M. Ortiz',
      role: process.env.ROLE ?? 'admin',
      csrf: 'x',
      is_demo: true,
      version: '0.1.0',
      display: {},
    });
  if (head === 'waterways' && !id) return json([waterway()]);
  if (head === 'waterways' && part === 'map') return json(map());
  if (head === 'waterways' && part === 'boats') return json({ at: iso(Date.now()), boats: latest });
  if (head === 'waterways' && part === 'conditions') {
    conditions = sent;
    send('conditions', sent);
    return json(sent);
  }
  if (head === 'waterways' && part === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`event: hello\ndata: ${JSON.stringify({ seq, version: '0.1.0', at: iso(Date.now()) })}\n\n`);
    clients.add(response);
    request.on('close', () => clients.delete(response));
    return undefined;
  }
  if (head === 'findings' && !id) {
    let list = [...findings.values()].sort((a, b) => Date.parse(b.start) - Date.parse(a.start));
    const states = url.searchParams.get('state')?.split(',').filter(Boolean);
    if (states?.length) list = list.filter((f) => states.includes(f.state));
    const count = (key) => list.reduce((sums, f) => ({ ...sums, [f[key]]: (sums[f[key]] ?? 0) + 1 }), {});
    return json({
      findings: list,
      next: null,
      counts: { by_state: count('state'), by_verdict: count('verdict'), by_rule: count('rule') },
    });
  }
  if (head === 'findings' && part === 'outcomes') {
    const list = outcomes.get(id) ?? [];
    const entry = {
      n: list.length + 1,
      finding: id,
      reason: null,
      text: null,
      by: 'M. Ortiz',
      at: iso(Date.now()),
      ...sent,
    };
    outcomes.set(id, [...list, entry]);
    const state = {
      acknowledge: 'acknowledged',
      note: 'noted',
      warn: 'warned',
      cite: 'cited',
      dismiss: 'dismissed',
      reverse: 'new',
    }[sent.action];
    findings.set(id, { ...findings.get(id), state });
    send('outcome', { finding: id, entry, state });
    return json(entry, 201);
  }
  if (head === 'findings' && id)
    return findings.has(id) ? json(detail(findings.get(id))) : json({ title: 'no such finding', status: 404 }, 404);
  if (head === 'marks' && method === 'GET') return json(marks);
  if (head === 'marks' && method === 'POST') {
    const mark = { id: `m-${Date.now()}`, t: iso(Date.now()), since: iso(Date.now()), by: 'M. Ortiz', ...sent };
    marks = [...marks, mark];
    send('marks', marks);
    return json(mark, 201);
  }
  if (head === 'marks' && method === 'DELETE') {
    marks = marks.filter((mark) => mark.id !== id);
    send('marks', marks);
    return json(undefined, 204);
  }
  if (head === 'marks' && method === 'PATCH') {
    marks = marks.map((mark) => (mark.id === id ? { ...mark, ...sent } : mark));
    send('marks', marks);
    return json(marks.find((mark) => mark.id === id));
  }
  if (head === 'quiet') return json(method === 'GET' ? [] : { id: 'q', by: 'M. Ortiz', ...sent });
  if (head === 'review') return json(review(url.searchParams));
  const source = () => ({ ...map(), features: map().features.filter((one) => one.properties.kind) });
  if (part === 'source') return json(source());
  if (part === 'versions')
    return json([{ version: '7f3ac21e', author: 'R. Hale', comment: 'north buoys', at: iso(began), changes: 3 }]);
  if (part === 'drafts' && method === 'POST') {
    draft = {
      id: 'd-1',
      name: sent.name,
      waterway: id,
      base_version: '7f3ac21e',
      author: 'M. Ortiz',
      at: iso(began),
      source: source(),
    };
    return json(draft, 201);
  }
  if (part === 'drafts') return json(draft ? [draft] : []);
  if (head === 'drafts' && !part) {
    if (method === 'PUT') draft.source = sent;
    return json(method === 'PUT' ? undefined : draft);
  }
  if (head === 'drafts' && part === 'check')
    return json({
      faults: [
        {
          severity: 'warning',
          feature_id: 'B-5',
          reason: 'B-5 is 1,420 ft from B-4, over the 400 m link limit',
          mend: 'put a buoy between them',
        },
        {
          severity: 'error',
          feature_id: 'marina',
          path: 'properties.speed_limit',
          reason: 'a limit needs its unit',
          mend: 'write 5 mph',
        },
      ],
    });
  if (head === 'drafts' && part === 'map')
    return json({
      type: 'FeatureCollection',
      features: [...map().features.filter((one) => one.properties.derived), ...draft.source.features],
    });
  if (head === 'drafts' && part === 'what-would-change') return json({ id: 'j' });
  if (head === 'jobs')
    return json({
      state: 'done',
      done: 1,
      gained: [...findings.values()].slice(0, 2),
      lost: [...findings.values()].slice(2, 3),
      other_odds: [],
      same: 212,
    });
  return json({ title: 'not in the fixture', status: 404 }, 404);
}).listen(port, '127.0.0.1', () => console.log(`made-up lake on http://127.0.0.1:${port}`));
