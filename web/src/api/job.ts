/** A long question: begun, looked after until it is answered, given up where nobody waits for it any more. */
import { ask } from './client';
import type { Job } from './types';

const POLL_MS = 400;

/** Begins a job by posting `body` to `path` and tells `onState` how far it is until it is done or failed. */
export async function runJob(
  path: string,
  body: unknown,
  onState: (job: Job) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id } = await ask<{ id: string }>(path, { method: 'POST', body, signal });
  const one = `/jobs/${encodeURIComponent(id)}`;
  signal.addEventListener('abort', () => void ask(one, { method: 'DELETE' }).catch(() => undefined), { once: true });
  for (;;) {
    const job = await ask<Job>(one, { signal });
    onState(job);
    if (job.state === 'done' || job.state === 'failed') return;
    await new Promise((later) => setTimeout(later, POLL_MS));
  }
}

/** How many were gained, lost, have other odds. */
export const countsOf = (job: Job): [gained: number, lost: number, other: number] =>
  job.counts ?? [job.gained.length, job.lost.length, job.other_odds.length];
