/** The live line of one waterway: opens the stream, fills the store, and knows how fresh it is. */
import { computed, signal } from '@preact/signals';
import { API, ask, query } from '../api/client';
import type { Boat, Finding, FindingPage, Mark, Me, Outcome, QuietEntry, Waterway } from '../api/types';
import { boats, forgetBoats, hearBoats } from '../store/boats';
import { hearTime, now, secondNow } from '../store/clock';
import { findings, hearFinding, hearFindings, hearWaterway, marks, me, notice, quiet, waterways } from '../store/store';
import { sendWaiting } from '../store/outcomes';
import { announce } from '../live/announce';
import { msOf } from '../time';
import { words } from '../words/en';
import { listen } from './share';
import type { Heard } from './sse';

export type Line = 'connecting' | 'live' | 'late' | 'reconnecting' | 'offline';

const LATE_S = 10;
const RECONNECTING_MS = 3000;
const OFFLINE_MS = 20_000;
const STREAM_SOON_MS = 1500;

const isOpen = signal(false);
const downSince = signal<number | null>(null);
/** Instant of the newest fix heard. */
export const newestFix = signal<number | null>(null);
/** Whether the findings of this waterway have come at least once. */
export const hasFindings = signal(false);
/** The daemon runs another version than the page was loaded from. */
export const hasNewConsole = signal(false);

export const freshness_s = computed<number | null>(() => {
  const newest = newestFix.value;
  return newest === null ? null : Math.max(0, (secondNow.value - newest) / 1000);
});

export const line = computed<Line>(() => {
  const at = secondNow.value;
  const since = downSince.value;
  if (since !== null) {
    if (!navigator.onLine || at - since > OFFLINE_MS) return 'offline';
    if (at - since > RECONNECTING_MS) return 'reconnecting';
  }
  if (!isOpen.value && newestFix.value === null) return since === null ? 'connecting' : 'reconnecting';
  const age = freshness_s.value;
  return age !== null && age > LATE_S ? 'late' : 'live';
});

export const lineDownSince = computed(() => downSince.value);

let close: (() => void) | null = null;
let at: string | null = null;

/** Goes live on a waterway; the one before is left. */
export function goLive(id: string): void {
  if (at === id) return;
  stopLive();
  at = id;
  // The state is asked for once the stream is open, so that nothing falls between the two; soon in any case.
  let isAsked = false;
  const load = (): Promise<void> => {
    isAsked = true;
    return loadAll(id);
  };
  open(id, load);
  setTimeout(() => {
    if (at === id && !isAsked) void load();
  }, STREAM_SOON_MS);
}

type Box = [west: number, south: number, east: number, north: number];
/** On the phone only boats of the view are asked for; null: all. */
let box: Box | null = null;
const BOX_MARGIN = 0.5;

const isInBox = ([w, s, e, n]: Box, lon: number, lat: number): boolean => w <= lon && lon <= e && s <= lat && lat <= n;

/** The view of a phone has moved: where it leaves what was asked for, the stream is opened anew for it and its surroundings. */
export function lookAt(view: Box): void {
  if (!at || (box && isInBox(box, view[0], view[1]) && isInBox(box, view[2], view[3]))) return;
  const [width, height] = [view[2] - view[0], view[3] - view[1]];
  box = [
    view[0] - BOX_MARGIN * width,
    view[1] - BOX_MARGIN * height,
    view[2] + BOX_MARGIN * width,
    view[3] + BOX_MARGIN * height,
  ];
  const asked = box;
  hearBoats(
    [],
    [...boats.values()].filter((boat) => !isInBox(asked, boat.lon, boat.lat)).map((boat) => boat.id),
  );
  if (close) {
    const id = at;
    close();
    open(id, () => loadAll(id), false);
  }
}

/**
 * How often boats come at most, seconds; the least the daemon gives. A fix is to be on the screen within 0.3 s, and waits
 * for up to so long at the daemon. A boat is only told when it was heard.
 */
const EVERY_S = 0.2;

/** `load` takes the whole state; for a new view of the same water it is needed only after the line was down. */
function open(id: string, load: () => Promise<void>, isNew = true): void {
  let isFirst = isNew;
  const bbox = box?.map((edge) => edge.toFixed(5)).join(',');
  close = listen(
    `${API}/waterways/${encodeURIComponent(id)}/stream${query({ every_s: EVERY_S, form: 'compact', bbox })}`,
    {
      onOpen: () => {
        const wasDown = downSince.value !== null;
        const isNeeded = wasDown || isFirst;
        isOpen.value = true;
        downSince.value = null;
        // What waits goes first, so that the state taken then has it. What ended while the line was down is not told
        // again: take the whole state once.
        void sendWaiting().then(() => (isNeeded ? load() : undefined));
        if (wasDown && !isFirst) countMissed();
        isFirst = false;
      },
      onEvent: hear,
      onDown: (status) => {
        isOpen.value = false;
        downSince.value ??= now();
        if (status === 401 || status === 403) askWho();
      },
    },
  );
}

/** The session may be over: the login then stands in for the screen. */
function askWho(): void {
  ask<Me>('/me').then(
    (mine) => {
      if (!mine.role) me.value = mine;
    },
    () => undefined,
  );
}

export function stopLive(): void {
  close?.();
  close = null;
  at = null;
  box = null;
  isOpen.value = false;
  downSince.value = null;
  newestFix.value = null;
  forgetBoats();
  findings.value = new Map();
  marks.value = [];
  hasFindings.value = false;
}

/** Asks for everything the stream only tells changes of. What cannot be had now comes with the next try. */
async function loadAll(id: string): Promise<void> {
  const w = encodeURIComponent(id);
  const [fleet, page, pins, quieted] = await Promise.allSettled([
    ask<{ at: string; boats: Boat[] }>(`/waterways/${w}/boats`),
    ask<FindingPage>(`/findings${query({ waterway: id, sort: '-start', limit: 200 })}`),
    ask<Mark[]>(`/marks${query({ waterway: id })}`),
    ask<QuietEntry[]>('/quiet'),
  ]);
  if (at !== id) return;
  if (fleet.status === 'fulfilled') {
    hearTime(fleet.value.at);
    hearBoats(fleet.value.boats, [], true);
    noteNewest(fleet.value.boats);
  } else downSince.value ??= now();
  if (page.status === 'fulfilled') {
    hearFindings(page.value.findings);
    hasFindings.value = true;
  }
  if (pins.status === 'fulfilled') marks.value = pins.value;
  if (quieted.status === 'fulfilled') quiet.value = quieted.value;
}

function noteNewest(states: readonly Boat[]): void {
  let newest = newestFix.value ?? 0;
  for (const boat of states) newest = Math.max(newest, msOf(boat.t));
  if (newest) newestFix.value = newest;
}

/** For so long after a line is back, events are those that were missed. */
const CATCH_UP_MS = 3000;
let missed: number | null = null;

/** Says once how much was missed; an offer to undo is not pushed aside by it. */
function countMissed(): void {
  missed = 0;
  setTimeout(() => {
    if (missed && !notice.value?.action) notice.value = { text: words.line.missed(missed) };
    missed = null;
  }, CATCH_UP_MS);
}

function hear(heard: Heard): void {
  const body: unknown = heard.body ?? JSON.parse(heard.data);
  if (missed !== null && heard.id !== null) missed++;
  switch (heard.event) {
    case 'boats': {
      const { at: instant, boats: states, gone } = body as { at: string; boats: Boat[]; gone: string[] };
      hearTime(instant);
      hearBoats(states, gone);
      noteNewest(states);
      break;
    }
    case 'finding': {
      takeSoon(body as Finding);
      break;
    }
    case 'outcome':
      hearOutcome(body as { finding: string; entry: Outcome; state?: Finding['state'] });
      break;
    case 'law':
      hearWaterway(body as Waterway);
      break;
    case 'marks':
      marks.value = body as Mark[];
      break;
    case 'conditions': {
      const one = waterways.value.find((other) => other.id === at);
      if (one) hearWaterway({ ...one, conditions: body as Waterway['conditions'] });
      break;
    }
    case 'hello': {
      const { at: instant, version } = body as { at: string; version: string };
      hearTime(instant);
      if (me.value && version && version !== me.value.version) hasNewConsole.value = true;
      break;
    }
  }
}

/** Findings that came within one span are taken in together, so that a burst costs one redraw. */
const SOON_MS = 100;
let coming: Finding[] = [];

function takeSoon(finding: Finding): void {
  coming.push(finding);
  if (coming.length > 1) return;
  setTimeout(() => {
    const list = coming;
    coming = [];
    const fresh = list.filter((one) => one.waterway === at && !findings.value.has(one.id));
    hearFindings(list.filter((one) => one.waterway === at));
    for (const one of new Map(fresh.map((finding) => [finding.id, finding])).values()) announce(one);
  }, SOON_MS);
}

const STATE_AFTER: Partial<Record<Outcome['action'], Finding['state']>> = {
  acknowledge: 'acknowledged',
  note: 'noted',
  warn: 'warned',
  cite: 'cited',
  dismiss: 'dismissed',
};

function hearOutcome(heard: { finding: string; entry: Outcome; state?: Finding['state'] }): void {
  const finding = findings.value.get(heard.finding);
  if (!finding) return;
  const state = heard.state ?? STATE_AFTER[heard.entry.action];
  if (state) hearFinding({ ...finding, state });
  // A reversal says what it takes back, not what remains: ask.
  else
    void ask<{ finding: Finding }>(`/findings/${encodeURIComponent(heard.finding)}`)
      .then((detail) => hearFinding(detail.finding))
      .catch(() => undefined);
}
