/**
 * What officers do with findings. Stored at the daemon, append-only; with no connection it waits here, with the time
 * it was made, and is sent when the line is back: once, whichever window sends it.
 */
import { signal } from '@preact/signals';
import { ApiError, ask } from '../api/client';
import type { Action, Finding, Outcome } from '../api/types';
import { isoOf, msOf } from '../time';
import { words } from '../words/en';
import { now } from './clock';
import { findings, hearFinding, notice } from './store';

export interface Doing {
  finding: string;
  action: Action;
  reason?: string;
  text?: string;
  reverses?: number;
  made_at: string;
}

const PLACE = 'buoyline.waiting';

function readWaiting(): Doing[] {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? '[]') as Doing[];
  } catch {
    return [];
  }
}

/** Made without a connection and not sent yet, by any window of this browser. */
export const waiting = signal<Doing[]>(readWaiting());
addEventListener('storage', ({ key }: StorageEvent) => {
  if (key === PLACE) waiting.value = readWaiting();
});

function setWaiting(list: Doing[]): void {
  waiting.value = list;
  try {
    localStorage.setItem(PLACE, JSON.stringify(list));
  } catch {
    // Kept in this window then.
  }
}

const AFTER: Record<Action, Finding['state'] | null> = {
  acknowledge: 'acknowledged',
  note: 'noted',
  warn: 'warned',
  cite: 'cited',
  dismiss: 'dismissed',
  reverse: null,
};

const pathOf = (finding: string): string => `/findings/${encodeURIComponent(finding)}`;

function post({ finding, ...body }: Doing): Promise<Outcome> {
  return ask<Outcome>(`${pathOf(finding)}/outcomes`, { method: 'POST', body });
}

/** Stores an outcome and offers to undo it. */
export async function decide(
  finding: Finding,
  action: Action,
  more: { reason?: string; text?: string } = {},
): Promise<void> {
  const doing: Doing = { finding: finding.id, action, ...more, made_at: isoOf(now()) };
  const before = finding.state;
  const after = AFTER[action];
  if (after) hearFinding({ ...current(finding), state: after });
  try {
    const entry = await post(doing);
    offerUndo(words.outcomes.done(action, finding), () => undo(finding, entry, before));
  } catch (cause) {
    if (isForLater(cause)) {
      setWaiting([...waiting.value, doing]);
      offerUndo(words.outcomes.queued, () => takeOut(doing, finding, before));
      return;
    }
    hearFinding({ ...current(finding), state: before });
    refused(cause);
  }
}

/** What the daemon could not take now, and may take another time. */
const isForLater = (cause: unknown): boolean =>
  cause instanceof ApiError && (cause.isOffline || [401, 408, 429].includes(cause.status) || cause.status >= 500);

function refused(cause: unknown): void {
  notice.value = { text: words.outcomes.failed((cause as Error).message), isError: true };
}

function offerUndo(text: string, run: () => void | Promise<void>): void {
  notice.value = { text, action: { label: words.undo, run: () => void run() } };
}

/** Writes an entry that takes `entry` back; nothing is erased. */
export async function undo(finding: Finding, entry: Outcome, before: Finding['state']): Promise<void> {
  try {
    await post({ finding: finding.id, action: 'reverse', reverses: entry.n, made_at: isoOf(now()) });
    hearFinding({ ...current(finding), state: before });
    notice.value = { text: words.outcomes.undone };
  } catch (cause) {
    refused(cause);
  }
}

/** What still waits is simply not sent. Where it was sent meanwhile, the entry is taken back as any other. */
async function takeOut(doing: Doing, finding: Finding, before: Finding['state']): Promise<void> {
  const rest = waiting.value.filter((one) => !isSame(one, doing));
  if (rest.length === waiting.value.length) {
    const entry = await stored(doing).catch(() => null);
    if (entry) await undo(finding, entry, before);
    return;
  }
  setWaiting(rest);
  hearFinding({ ...current(finding), state: before });
  notice.value = { text: words.outcomes.notSent };
}

const isSame = (a: Doing, b: Doing): boolean =>
  a.finding === b.finding && a.action === b.action && a.made_at === b.made_at;

/** The newest revision of a finding, wherever it came from. */
const current = (finding: Finding): Finding => findings.value.get(finding.id) ?? finding;

/** The daemon's entry of something done, where its answer was lost on the way. */
async function stored(doing: Doing): Promise<Outcome | null> {
  const { outcomes } = await ask<{ outcomes: Outcome[] }>(pathOf(doing.finding));
  return outcomes.find((one) => one.action === doing.action && msOf(one.at) === msOf(doing.made_at)) ?? null;
}

/** Sends what waits, in order; stops at the first that cannot be sent now. One window at a time. */
export async function sendWaiting(): Promise<void> {
  if (!waiting.value.length) return;
  if ('locks' in navigator) await navigator.locks.request('buoyline outcomes', sendAll);
  else await sendAll();
}

async function sendAll(): Promise<void> {
  let sent = 0;
  // Another window may have sent some while this one waited for its turn.
  waiting.value = readWaiting();
  while (waiting.value.length) {
    const [first, ...others] = waiting.value as [Doing, ...Doing[]];
    try {
      if (!(await stored(first))) await post(first);
      sent++;
    } catch (cause) {
      if (isForLater(cause)) return;
      refused(cause);
    }
    setWaiting(others);
  }
  if (sent) notice.value = { text: words.outcomes.sent(sent) };
}
