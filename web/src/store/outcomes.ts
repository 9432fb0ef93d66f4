/**
 * What officers do with findings. Stored at the daemon, append-only; with no connection it waits here, with the time
 * it was made, and is sent when the line is back.
 */
import { signal } from '@preact/signals';
import { ApiError, ask } from '../api/client';
import type { Action, Finding, Outcome } from '../api/types';
import { isoOf } from '../time';
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

/** Made without a connection and not sent yet. */
export const waiting = signal<Doing[]>(readWaiting());

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

function post(doing: Doing): Promise<Outcome> {
  const { finding, ...body } = doing;
  return ask<Outcome>(`/findings/${encodeURIComponent(finding)}/outcomes`, { method: 'POST', body });
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
    offerUndo(finding, entry, before);
  } catch (cause) {
    if (cause instanceof ApiError && cause.isOffline) {
      setWaiting([...waiting.value, doing]);
      notice.value = { text: words.outcomes.queued };
      return;
    }
    hearFinding({ ...current(finding), state: before });
    notice.value = { text: words.outcomes.failed(String((cause as Error).message)), isError: true };
  }
}

function offerUndo(finding: Finding, entry: Outcome, before: Finding['state']): void {
  notice.value = {
    text: words.outcomes.done(entry.action, finding),
    action: { label: words.undo, run: () => void undo(finding, entry, before) },
  };
}

/** Writes an entry that takes `entry` back; nothing is erased. */
export async function undo(finding: Finding, entry: Outcome, before: Finding['state']): Promise<void> {
  try {
    await post({ finding: finding.id, action: 'reverse', reverses: entry.n, made_at: isoOf(now()) });
    hearFinding({ ...current(finding), state: before });
    notice.value = { text: words.outcomes.undone };
  } catch (cause) {
    notice.value = { text: words.outcomes.failed(String((cause as Error).message)), isError: true };
  }
}

/** The newest revision of a finding, wherever it came from. */
const current = (finding: Finding): Finding => findings.value.get(finding.id) ?? finding;

/** Sends what waits, in order; stops at the first that cannot be sent. */
export async function sendWaiting(): Promise<void> {
  while (waiting.value.length) {
    const [first, ...others] = waiting.value as [Doing, ...Doing[]];
    try {
      await post(first);
    } catch (cause) {
      if (cause instanceof ApiError && cause.isOffline) return;
      notice.value = { text: words.outcomes.failed(String((cause as Error).message)), isError: true };
    }
    setWaiting(others);
  }
}
