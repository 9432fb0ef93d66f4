/** The console begins here: who is asking, what is in force, then the screens. */
import { render } from 'preact';
import './style/base.css';
import './style/shell.css';
import './style/map.css';
import './style/actions.css';
import './style/boatline.css';
import './style/list.css';
import './style/card.css';
import { App, keepInStep, startFault } from './app';
import { ask } from './api/client';
import type { Me } from './api/types';
import { mapLibrary } from './map/library';
import { zonesAhead } from './map/zones';
import { followLinks, route, type Screen } from './route';
import { startClock } from './store/clock';
import { takeMe } from './ui/login';

const WITH_MAP: readonly Screen[] = ['live', 'review', 'map', 'public'];
const { screen, id } = route.value;
if (WITH_MAP.includes(screen)) void mapLibrary().catch(() => undefined);

startClock();
followLinks();
keepInStep();
render(<App />, document.getElementById('console')!);
ask<Me>('/me')
  .then((mine) => {
    if (mine.role && id && screen === 'live') zonesAhead(id);
    return takeMe(mine);
  })
  .catch((cause: Error) => {
    startFault.value = cause.message;
  });

// The shell from the cache at the next visit; only the built console has the worker.
if (import.meta.env.PROD) void navigator.serviceWorker?.register('/sw.js').catch(() => undefined);
