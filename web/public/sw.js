// Keeps the shell of the console: hashed files for good, the page for when the daemon cannot be reached. Never the API.
const CACHE = 'buoyline-shell-1';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  // What is to be kept is written beside the answer, which does not wait for it.
  const keep = (key, answer) => {
    const copy = answer.clone();
    event.waitUntil(caches.open(CACHE).then((cache) => cache.put(key, copy)));
  };
  if (url.pathname.startsWith('/assets/')) event.respondWith(kept(request, keep));
  else if (request.mode === 'navigate' && !/^\/(api|ogc)(\/|$)/.test(url.pathname))
    event.respondWith(page(request, keep));
  else if (/^\/api\/v1\/(waterways(\/[^/]+\/map)?|me)$/.test(url.pathname)) event.respondWith(newest(request, keep));
});

/** A hashed file never changes: once here, it is not asked for again. */
async function kept(request, keep) {
  const found = await caches.match(request, { cacheName: CACHE });
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) keep(request, answer);
  return answer;
}

/** The page of this version; without a connection the last one. Of a version before nothing else is kept. */
async function page(request, keep) {
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await dropOlder(await answer.clone().text());
      keep('/', answer);
    }
    return answer;
  } catch (cause) {
    const found = await caches.match('/', { cacheName: CACHE });
    if (found) return found;
    throw cause;
  }
}

/** Zones and who one is: from the daemon, and the last known where it cannot be reached. */
async function newest(request, keep) {
  try {
    const answer = await fetch(request);
    if (answer.ok) keep(request, answer);
    else if (answer.status === 401) await caches.delete(CACHE);
    return answer;
  } catch (cause) {
    const found = await caches.match(request, { cacheName: CACHE });
    if (found) return found;
    throw cause;
  }
}

/** Drops the files of another version than that of this page, which names its own. */
async function dropOlder(page) {
  const cache = await caches.open(CACHE);
  const before = await cache.match('/');
  if (!before || (await before.text()) === page) return;
  const files = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith('/assets/'));
  await Promise.all(files.map((file) => cache.delete(file)));
}
