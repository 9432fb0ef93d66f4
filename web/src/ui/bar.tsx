/** The bar above every screen: where one is, how fresh it is, when the night limit begins. On the phone: head and foot. */
import { stepPalette, palette } from '../map/palette';
import { go, pathOf, route, type Screen } from '../route';
import { secondNow } from '../store/clock';
import { waiting } from '../store/outcomes';
import { badge, here, may, me, units, waterway, waterways, zone } from '../store/store';
import { freshness_s, line, lineDownSince, newestFix } from '../stream/live';
import { age, clock, clockShortZoned, clockZoned, inUtc, day, msOf, span, zoneLetters } from '../time';
import { limitText } from '../units';
import { words } from '../words/en';
import { Icon, Mark, type IconName } from './icons';
import { Menu } from './parts';
import { Settings } from './settings';

const linkTo = (screen: Screen): string => {
  const id = here.value ?? waterways.value[0]?.id ?? null;
  if (screen === 'live' || screen === 'review' || screen === 'map') return pathOf(screen, id);
  return screen === 'admin' ? pathOf('admin', 'health') : pathOf(screen);
};

function screens(): Screen[] {
  if (!may('viewer')) return [];
  const list: Screen[] = ['live', 'review', 'findings'];
  if (may('manager')) list.push('map');
  if (may('officer')) list.push('vessels');
  if (may('admin')) list.push('admin');
  return list;
}

function Badge() {
  const n = badge.value;
  return n ? <span class="badge">{n}</span> : null;
}

/** The wall display asks for itself: there is no stream whose state could be told. */
const hasLine = (): boolean =>
  may('viewer') && !(route.value.screen === 'public' && route.value.query.get('view') === 'wall');

/** What the line's state is called, with the time of the data on screen where it is down. */
function lineWords(): string {
  const state = line.value;
  const downAt = lineDownSince.value;
  if (state === 'reconnecting')
    return words.line.reconnecting(clockZoned(newestFix.value ?? downAt ?? secondNow.value, zone.value));
  return state === 'offline'
    ? words.line.offline(clockShortZoned(downAt ?? secondNow.value, zone.value))
    : words.line[state];
}

/** On the phone what does not fit into the head stands below it. */
export function LineStrip() {
  const isDown = line.value === 'reconnecting' || line.value === 'offline';
  if (!isDown && !waiting.value.length) return null;
  return (
    <div class="strip-note is-warn" role="status">
      {[isDown ? lineWords() : '', waiting.value.length ? words.line.waiting(waiting.value.length) : '']
        .filter(Boolean)
        .join(' · ')}
    </div>
  );
}

/** "● Live · 0.6 s" and its other states. */
export function LineState({ isShort }: { isShort?: boolean }) {
  const state = line.value;
  const fresh = freshness_s.value;
  const text = isShort ? words.line.short[state] : lineWords();
  return (
    <span class={`line is-${state}`}>
      <i class="dot" aria-hidden="true" />
      <b>{text}</b>
      {(state === 'live' || state === 'late') && fresh !== null && (
        <span class="is-second"> · {age(fresh) === '0 s' ? span(fresh) : age(fresh)}</span>
      )}
      {!isShort && waiting.value.length > 0 && (
        <span class="is-second"> · {words.line.waiting(waiting.value.length)}</span>
      )}
    </span>
  );
}

function Clock({ isShort }: { isShort?: boolean }) {
  const at = secondNow.value;
  return (
    <time class="clock" title={inUtc(at)} dateTime={new Date(at).toISOString()}>
      {!isShort && <span class="is-second">{day(at, zone.value)} </span>}
      <b>{clock(at, zone.value)}</b> <span class="is-second">{zoneLetters(at, zone.value)}</span>
    </time>
  );
}

interface Night {
  isInForce: boolean;
  limit: string;
  at: string;
  left: string;
  isNear: boolean;
}

/** The night limit in force, or how long until it begins. */
export function night(): Night | null {
  const place = waterway.value;
  const limit = place?.limits.night_mps;
  if (!place?.sun || limit === null || limit === undefined) return null;
  const at = secondNow.value;
  const from = msOf(place.sun.night_from);
  const until = msOf(place.sun.night_until);
  const isInForce = (from <= at && at < until) || (from > until && at < until);
  const edge = isInForce ? until : from;
  if (Number.isNaN(edge) || edge < at) return null;
  return {
    isInForce,
    limit: limitText(limit, units.value.speed),
    at: clockShortZoned(edge, zone.value),
    left: span((edge - at) / 1000),
    isNear: edge - at < 2 * 3600_000,
  };
}

function NightChip() {
  const now = night();
  if (!now) return null;
  return (
    <span class={now.isInForce ? 'night-chip is-in-force' : 'night-chip'}>
      <Icon name={now.isInForce ? 'moon' : 'sun'} />
      {now.isInForce ? (
        <span>
          <b>{words.night.inForce(now.limit)}</b> {words.night.until(now.at, now.left)}
        </span>
      ) : (
        <span>
          <b>{now.limit}</b> {words.night.ahead(now.limit).rest} <b>{now.left}</b>
        </span>
      )}
    </span>
  );
}

/** On the phone a strip, only within two hours of a change or while in force. */
export function NightStrip() {
  const now = night();
  if (!now || !(now.isInForce || now.isNear)) return null;
  return (
    <div class="night-strip">
      <span>
        <Icon name={now.isInForce ? 'moon' : 'sun'} /> <b>{words.night.inForce(now.limit)}</b>
      </span>
      <span class="is-second">
        {now.isInForce
          ? words.night.until(now.at, now.left)
          : `${words.night.ahead('').rest.replace('night limit ', '')} ${now.left}`}
      </span>
    </div>
  );
}

function WaterwayPick() {
  const list = waterways.value;
  if (!list.length) return null;
  const change = (id: string): void => {
    const screen = route.value.screen;
    here.value = id;
    go(pathOf(screen === 'review' || screen === 'map' || screen === 'public' ? screen : 'live', id));
  };
  return (
    <label class="waterway-pick">
      <span class="unseen">{words.bar.waterway}</span>
      <select value={here.value ?? ''} onChange={(event) => change(event.currentTarget.value)}>
        {list.map((one) => (
          <option key={one.id} value={one.id} selected={one.id === here.value}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function PaletteButton() {
  const icon: Record<string, IconName> = { day: 'sun', dusk: 'dusk', night: 'moon' };
  return (
    <button
      type="button"
      class="button is-quiet is-square"
      aria-label={words.bar.palette(words.bar.paletteNames[palette.value] ?? '')}
      onClick={stepPalette}
    >
      <Icon name={icon[palette.value] ?? 'sun'} />
    </button>
  );
}

export function Bar() {
  const screen = route.value.screen;
  return (
    <header class="bar">
      <a class="product" href={linkTo('live')}>
        <Mark />
        <b>{words.product}</b>
      </a>
      <WaterwayPick />
      <nav aria-label="Screens">
        {screens().map((one) => (
          <a key={one} href={linkTo(one)} aria-current={one === screen ? 'page' : undefined}>
            {words.screens[one as 'live']}
            {one === 'findings' && <Badge />}
          </a>
        ))}
      </nav>
      <span class="space" />
      <NightChip />
      {hasLine() && <LineState />}
      <Clock />
      <PaletteButton />
      {may('viewer') ? (
        <Menu label={words.settings.account} align="end" button={<b>{me.value?.user ?? words.bar.demo}</b>}>
          {(close) => <Settings onDone={close} />}
        </Menu>
      ) : (
        <a href={pathOf('live', here.value)}>{words.bar.login}</a>
      )}
    </header>
  );
}

export function PhoneHead() {
  return (
    <header class="phone-head">
      <WaterwayPick />
      <span class="space" />
      {hasLine() ? <LineState isShort /> : !may('viewer') && <a href={pathOf('live', here.value)}>{words.bar.login}</a>}
      <Clock isShort />
    </header>
  );
}

const FOOT: [Screen | 'more', IconName][] = [
  ['live', 'live'],
  ['findings', 'finding'],
  ['review', 'review'],
  ['map', 'map'],
  ['more', 'more'],
];

export function PhoneFoot({ onMore }: { onMore: () => void }) {
  const screen = route.value.screen;
  return (
    <nav class="phone-foot" aria-label="Screens">
      {FOOT.filter(([one]) => one !== 'map' || may('manager')).map(([one, icon]) => {
        const label = (
          <>
            <Icon name={icon} size={24} />
            <span>
              {one === 'map' ? words.screens.mapShort : words.screens[one as 'live']}
              {one === 'findings' && badge.value ? ` ${badge.value}` : ''}
            </span>
          </>
        );
        return one === 'more' ? (
          <button type="button" key={one} onClick={onMore}>
            {label}
          </button>
        ) : (
          <a key={one} href={linkTo(one)} aria-current={one === screen ? 'page' : undefined}>
            {label}
          </a>
        );
      })}
    </nav>
  );
}
