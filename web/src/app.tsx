/** The shell around the screens: bar or phone head and foot, strips, notices, dialogs, keys. */
import { effect, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { applyPalette, palette, sunThere } from './map/palette';
import { markOf, showZones, shownDraft } from './map/zones';
import { go, pathOf, route, type Screen } from './route';
import { prefs } from './store/prefs';
import { here, me, waterway, waterways } from './store/store';
import { goLive, hasNewConsole, stopLive } from './stream/live';
import { said } from './live/announce';
import { OutcomeDialog } from './findings/outcomes';
import { LiveScreen } from './live/screen';
import { words } from './words/en';
import { Bar, LineStrip, NightStrip, PhoneFoot, PhoneHead } from './ui/bar';
import { KeyList, listenForKeys } from './ui/keys';
import { Login } from './ui/login';
import { Button, Dialog, Failure, Notice, Waiting } from './ui/parts';
import { Settings } from './ui/settings';
import { isPhone } from './ui/size';

/** Screens that are loaded when first gone to. */
const LATER: Partial<Record<Screen, () => Promise<ComponentType>>> = {
  review: () => import('./review/screen').then((m) => m.ReviewScreen),
  map: () => import('./edit/screen').then((m) => m.EditScreen),
  vessels: () => import('./vessels/screen').then((m) => m.VesselsScreen),
  admin: () => import('./admin/screen').then((m) => m.AdminScreen),
  rulebooks: () => import('./rulebooks/screen').then((m) => m.RulebooksScreen),
  public: () => import('./public/screen').then((m) => m.PublicScreen),
  findings: () => import('./findings/screen').then((m) => m.FindingsScreen),
};

/** The daemon could not be asked who we are. */
export const startFault = signal<string | null>(null);

/** What follows from the store and the address, outside of any screen. */
export function keepInStep(): void {
  effect(() => {
    applyPalette(palette.value);
    const root = document.documentElement;
    root.toggleAttribute('data-sun', prefs.value.is_full_sun && palette.value === 'day');
    root.toggleAttribute('data-red', prefs.value.is_red);
  });
  effect(() => {
    sunThere.value = waterway.value?.sun ?? null;
  });
  effect(() => {
    // The waterway of the address, else the one before, else the first there is.
    const { screen, id } = route.value;
    const list = waterways.value;
    const named = screen === 'live' || screen === 'review' || screen === 'map' || screen === 'public' ? id : null;
    here.value = named ?? here.peek() ?? list[0]?.id ?? null;
    if (screen === 'none' && list[0] && location.pathname === '/') go(pathOf('live', here.peek() ?? list[0].id), true);
    if (screen === 'live' && !id && list[0]) go(pathOf('live', list[0].id), true);
  });
  effect(() => {
    const id = waterway.value?.id;
    const { screen, query } = route.value;
    // On the wall boats have no names, whoever is logged in.
    if (screen === 'public' && query.get('view') === 'wall') stopLive();
    else if (id && me.value?.role) goLive(id);
  });
  effect(() => {
    const place = waterway.value;
    if (place && me.value?.role) void showZones(place.id, markOf(place.law), shownDraft.value);
  });
  effect(() => {
    const name = waterway.value?.name;
    const screen = route.value.screen;
    document.title = [screen === 'none' ? '' : (words.screens[screen as 'live'] ?? ''), name ?? '', words.product]
      .filter(Boolean)
      .join(' · ');
  });
}

function Content() {
  const { screen } = route.value;
  const later = LATER[screen];
  const [loaded, setLoaded] = useState<{ screen: Screen; part: ComponentType } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    setFault(null);
    later?.().then(
      (part) => isHere && setLoaded({ screen, part }),
      (cause: Error) => isHere && setFault(cause.message),
    );
    return () => {
      isHere = false;
    };
  }, [screen]);
  if (waterways.value.length && here.value && !waterway.value) return <NoWaterway id={here.value} />;
  if (screen === 'live') return <LiveScreen key={here.value} />;
  if (fault) return <Failure title={words.errors.title} text={fault} onRetry={() => location.reload()} />;
  if (!later)
    return screen === 'none' && location.pathname === '/' ? (
      <Waiting />
    ) : (
      <div class="failure">
        <h1>{words.errors.notFound}</h1>
        <a href={pathOf('live', here.value)}>{words.errors.toLive}</a>
      </div>
    );
  if (loaded?.screen !== screen) return <Waiting />;
  const Part = loaded.part;
  return <Part />;
}

/** A link to water that this daemon does not have. */
function NoWaterway({ id }: { id: string }) {
  return (
    <div class="failure">
      <h1>{words.errors.noWaterway(id)}</h1>
      <ul>
        {waterways.value.map((one) => (
          <li key={one.id}>
            <a href={pathOf('live', one.id)}>{one.name}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function App() {
  const [isMore, setMore] = useState(false);
  useEffect(listenForKeys, []);
  const mine = me.value;
  if (startFault.value)
    return (
      <main id="content">
        <Failure title={words.errors.title} text={startFault.value} onRetry={() => location.reload()} />
      </main>
    );
  if (!mine) return <Waiting />;
  if (!mine.role && route.value.screen !== 'public') return <Login />;
  const isSmall = isPhone.value;
  const isDark = palette.value !== 'day';
  return (
    <div class={isSmall ? 'shell is-phone' : 'shell'}>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      {isSmall ? <PhoneHead /> : <Bar />}
      {hasNewConsole.value && (
        <div class="reload">
          {words.bar.newConsole} <Button onClick={() => location.reload()}>{words.bar.reload}</Button>
        </div>
      )}
      {isSmall && <LineStrip />}
      {isSmall && <NightStrip />}
      <main id="content" tabIndex={-1}>
        <Content />
      </main>
      {isSmall && mine.role && <PhoneFoot onMore={() => setMore(true)} />}
      {isMore && (
        <Dialog title={words.settings.title} onClose={() => setMore(false)}>
          <Settings isPhone onDone={() => setMore(false)} />
        </Dialog>
      )}
      <Notice />
      <OutcomeDialog />
      <KeyList />
      <div class="unseen" aria-live="polite">
        {said.value}
      </div>
      {isDark && prefs.value.dim < 100 && <div class="dimmer" style={{ opacity: String(1 - prefs.value.dim / 100) }} />}
      <svg class="unseen" aria-hidden="true">
        <filter id="red">
          <feColorMatrix type="matrix" values="1 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 1 0" />
        </filter>
      </svg>
    </div>
  );
}
