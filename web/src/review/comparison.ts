/** The same period under another map or rulebook: what would be found more, what less. */
import { computed, signal } from '@preact/signals';
import { runJob } from '../api/job';
import type { Finding, Job } from '../api/types';
import { here } from '../store/store';
import { isoOf } from '../time';
import { period } from './state';

/** What the period is judged by for comparison. */
export type Other = { kind: 'map'; version: string; name: string } | { kind: 'rules'; toml: string; name: string };

export interface Comparison {
  other: Other;
  job: Job | null;
  fault: string | null;
}

export type Sign = '+' | '−' | '~';
/** What a sign is called in symbols and classes. */
export const KIND: Record<Sign, 'gained' | 'lost' | 'other'> = { '+': 'gained', '−': 'lost', '~': 'other' };

export const comparison = signal<Comparison | null>(null);
let abort: AbortController | null = null;

/** Findings of the comparison with their sign, in the order of time. */
export const differences = computed<{ sign: Sign; finding: Finding }[]>(() => {
  const job = comparison.value?.job;
  if (job?.state !== 'done') return [];
  const signed = (sign: Sign, list: Finding[]): { sign: Sign; finding: Finding }[] =>
    list.filter((finding) => finding.waterway === here.value).map((finding) => ({ sign, finding }));
  return [...signed('+', job.gained), ...signed('−', job.lost), ...signed('~', job.other_odds)].sort((a, b) =>
    a.finding.start < b.finding.start ? -1 : 1,
  );
});

/** Judges the period under another law; a comparison under way is given up. */
export async function compareWith(other: Other): Promise<void> {
  endComparison();
  const mine = new AbortController();
  abort = mine;
  comparison.value = { other, job: null, fault: null };
  const [from, to] = period.value;
  const body = {
    kind: 'replay',
    from: isoOf(from),
    to: isoOf(to),
    ...(other.kind === 'map' ? { map: other.version, waterway: here.value } : { rules: other.toml }),
  };
  try {
    await runJob(
      '/jobs',
      body,
      (job) => {
        if (abort === mine)
          comparison.value = { other, job, fault: job.state === 'failed' ? (job.detail ?? '') : null };
      },
      mine.signal,
    );
  } catch (cause) {
    if (abort === mine) comparison.value = { other, job: null, fault: (cause as Error).message };
  }
}

export function endComparison(): void {
  abort?.abort();
  abort = null;
  comparison.value = null;
}
