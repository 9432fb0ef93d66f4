// Keeps the shell of the console: hashed files for good, the page for when the daemon cannot be reached. Never the API.
const CACHE = 'buoyline-shell-1';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(kept(request));
  else if (request.mode === 'navigate' && !/^\/(api|ogc)(\/|$)/.test(url.pathname)) event.respondWith(page(request));
  else if (/^\/api\/v1\/(waterways(\/[^/]+\/map)?|me)$/.test(url.pathname)) event.respondWith(newest(request));
});

/** A hashed file never changes: once here, it is not asked for again. */
async function kept(request) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** The page of this version; without a connection the last one. Files that it does not name any more are dropped. */
async function page(request) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put('/', answer.clone());
    return answer;
  } catch (cause) {
    const found = await cache.match('/');
    if (found) return found;
    throw cause;
  }
}

/** Zones and who one is: from the daemon, and the last known where it cannot be reached. */
async function newest(request) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(request, answer.clone());
    else if (answer.status === 401) await caches.delete(CACHE);
    return answer;
  } catch (cause) {
    const found = await cache.match(request);
    if (found) return found;
    throw cause;
  }
}
