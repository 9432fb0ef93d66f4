/** Addresses. The state of the data is in the link; palette, units and sound are not. */
import { signal } from '@preact/signals';

export type Screen = 'live' | 'review' | 'findings' | 'map' | 'vessels' | 'admin' | 'rulebooks' | 'public' | 'none';

export interface Route {
  screen: Screen;
  /** What follows the screen: a waterway, a finding, a vessel, a page of Admin. */
  id: string | null;
  rest: string[];
  query: URLSearchParams;
}

const SCREENS: readonly string[] = ['live', 'review', 'findings', 'map', 'vessels', 'admin', 'rulebooks', 'public'];

function read(): Route {
  const [screen = '', id, ...rest] = location.pathname.split('/').slice(1).map(decodeURIComponent);
  return {
    screen: SCREENS.includes(screen) ? (screen as Screen) : 'none',
    id: id || null,
    rest,
    query: new URLSearchParams(location.search),
  };
}

export const route = signal<Route>(read());

/** Goes to `path`. A choice pushes history; panning, scrubbing and typing replace it. */
export function go(path: string, isReplacing = false): void {
  if (path === location.pathname + location.search) return;
  if (isReplacing) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  route.value = read();
}

let waiting: ReturnType<typeof setTimeout> | undefined;
let changes: Record<string, string | null> = {};

/** Changes parts of the query in place, at most twice a second; null or '' takes a part out. */
export function setQuery(parts: Record<string, string | null>, isPushing = false): void {
  if (isPushing) {
    clearTimeout(waiting);
    waiting = undefined;
    go(withQuery({ ...changes, ...parts }));
    changes = {};
    return;
  }
  changes = { ...changes, ...parts };
  waiting ??= setTimeout(() => {
    waiting = undefined;
    const path = withQuery(changes);
    changes = {};
    go(path, true);
  }, 500);
}

function withQuery(parts: Record<string, string | null>): string {
  const search = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(parts)) {
    if (value === null || value === '') search.delete(key);
    else search.set(key, value);
  }
  // Commas and colons are legal in a query and far easier to read.
  const text = search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return location.pathname + (text ? `?${text}` : '');
}

/** The path of a screen. */
export const pathOf = (screen: Screen, id?: string | null, query = ''): string =>
  `/${screen}${id ? `/${encodeURIComponent(id)}` : ''}${query}`;

/** Links within the console change the address without loading the page; all others are left alone. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    // What was still to be written belonged to the place just left.
    clearTimeout(waiting);
    waiting = undefined;
    changes = {};
    route.value = read();
  });
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = (event.target as Element).closest?.('a[href]');
    if (
      !(link instanceof HTMLAnchorElement) ||
      link.target ||
      link.hasAttribute('download') ||
      link.origin !== location.origin
    )
      return;
    const screen = link.pathname.split('/')[1] ?? '';
    if (!SCREENS.includes(screen)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
