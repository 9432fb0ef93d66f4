/** What the draft would change: the last days judged again, findings gained and lost by rule, in list and map. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { Finding, Job } from '../api/types';
import { odds } from '../words/count';
import { Sentence } from '../findings/card';
import { reviewLink } from '../findings/links';
import { failed } from '../live/doing';
import { now } from '../store/clock';
import { zone } from '../store/store';
import { clock, day, isoOf, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { Button, Choice } from '../ui/parts';
import { draft, job, jobFor, save, source } from './state';
import { showPlace } from './show';

const POLL_MS = 300;

export type Sign = '+' | '−' | '~';
interface Entry {
  sign: Sign;
  finding: Finding & { confidence_before?: number };
}

/** The finding chosen in the list or by its pin. */
export const chosenEffect = signal<string | null>(null);

export const entries = computed<Entry[]>(() => {
  const run = job.value;
  if (!run || run.state === 'failed') return [];
  const of = (sign: Sign, list: Finding[]): Entry[] => list.map((finding) => ({ sign, finding }));
  return [...of('+', run.gained), ...of('−', run.lost), ...of('~', run.other_odds)];
});
/** On the map only what comes and goes. */
export const effectPins = computed<Entry[]>(() => entries.value.filter((one) => one.sign !== '~'));

interface Group {
  rule: string;
  title: string;
  list: Entry[];
}

/** By rule, the one with most gained and lost first. */
export const groups = computed<Group[]>(() => {
  const made = new Map<string, Group>();
  for (const entry of entries.value) {
    const { rule, title } = entry.finding;
    const group = made.get(rule) ?? { rule, title: title || rule, list: [] };
    group.list.push(entry);
    made.set(rule, group);
  }
  const weight = (group: Group): number => group.list.filter((one) => one.sign !== '~').length;
  return [...made.values()].sort((a, b) => weight(b) - weight(a));
});

export async function runJob(days: number): Promise<void> {
  const mine = draft.value;
  if (!mine) return;
  await save();
  const about = source.value;
  job.value = null;
  chosenEffect.value = null;
  const { id } = await ask<{ id: string }>(`/drafts/${encodeURIComponent(mine.id)}/what-would-change`, {
    method: 'POST',
    body: { from: isoOf(now() - days * 86_400_000), to: isoOf(now()) },
  });
  for (;;) {
    const state = await ask<Job>(`/jobs/${encodeURIComponent(id)}`);
    if (draft.value?.id !== mine.id) return;
    job.value = state;
    if (state.state === 'done' || state.state === 'failed') {
      jobFor.value = state.state === 'done' ? about : null;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** How many were gained, lost, have other odds. */
export const countsOf = (run: Job): [number, number, number] =>
  run.counts ?? [run.gained.length, run.lost.length, run.other_odds.length];

/** Whether the last run was about the draft as it is now. */
export const hasRun = computed(() => jobFor.value === source.value && job.value?.state === 'done');

/** What the draft makes opens in Review as the draft has it; what only the published map makes, as published. */
const linkOf = ({ sign, finding }: Entry): string =>
  sign === '−' || !draft.value
    ? reviewLink(finding)
    : `${reviewLink(finding)}&draft=${encodeURIComponent(draft.value.id)}`;

export const isRunning = signal(false);

export function startRun(days: number): void {
  if (isRunning.value) return;
  isRunning.value = true;
  runJob(days)
    .catch(failed)
    .finally(() => {
      isRunning.value = false;
    });
}

export function WhatWouldChange() {
  const e = words.edit;
  const [days, setDays] = useState('7');
  const run = job.value;
  const isBusy = isRunning.value;
  return (
    <div class="panel-body what">
      <div class="rows">
        <Choice
          label={e.period}
          options={['1', '7', '30'].map((n) => [n, e.days(Number(n))] as const)}
          value={days}
          onChange={setDays}
        />
        <Button kind="primary" disabled={isBusy} onClick={() => startRun(Number(days))}>
          {e.run}
        </Button>
      </div>
      {!run && !isBusy && <p class="is-second">{e.runHow}</p>}
      {isBusy && (
        <p role="status">
          {e.progress(run?.done ?? 0)} <progress value={run?.done ?? 0} />
        </p>
      )}
      {run?.state === 'failed' && (
        <p class="is-warning" role="alert">
          {e.failed(run.detail ?? '')}
        </p>
      )}
      {run?.state === 'done' && (
        <>
          <Counts run={run} />
          {!hasRun.value && <p class="is-warning">{e.staleRun}</p>}
          {groups.value.map((group) => (
            <RuleGroup key={group.rule} group={group} />
          ))}
          {countsOf(run).some((n, i) => n > [run.gained, run.lost, run.other_odds][i]!.length) && (
            <p class="is-second">{e.cut}</p>
          )}
        </>
      )}
    </div>
  );
}

export function Counts({ run }: { run: Job }) {
  const e = words.edit;
  const [gained, lost, others] = countsOf(run);
  return (
    <p class="what-sum" role="status">
      <b>
        + {e.gained} {gained}
      </b>{' '}
      ·{' '}
      <b>
        − {e.lost} {lost}
      </b>{' '}
      · {e.otherOdds} {others} · {e.same} {run.same}
    </p>
  );
}

function RuleGroup({ group }: { group: Group }) {
  const count = (sign: Sign): number => group.list.filter((one) => one.sign === sign).length;
  return (
    <details class="rule-group" open>
      <summary>
        <b>{group.title}</b>
        <span class="rule-counts">
          {(['+', '−', '~'] as const)
            .filter((sign) => count(sign) > 0)
            .map((sign) => `${sign} ${count(sign)}`)
            .join(' · ')}
        </span>
      </summary>
      <ul class="effect-list">
        {group.list.slice(0, 100).map((entry) => (
          <Row key={entry.sign + entry.finding.id} entry={entry} />
        ))}
      </ul>
    </details>
  );
}

function Row({ entry }: { entry: Entry }) {
  const { sign, finding } = entry;
  const e = words.edit;
  const isChosen = chosenEffect.value === finding.id;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const at = msOf(finding.peak.t);
  const said = `${e.verdict(finding.verdict)}, ${e.oddsOf(odds(finding.confidence))}`;
  const before =
    sign === '+'
      ? e.noFinding
      : finding.confidence_before === undefined
        ? said
        : e.oddsOf(odds(finding.confidence_before));
  return (
    <li ref={row} class={isChosen ? 'is-chosen' : undefined}>
      <button
        type="button"
        aria-expanded={isChosen}
        onClick={() => {
          chosenEffect.value = isChosen ? null : finding.id;
          if (!isChosen) showPlace(finding.peak.lon, finding.peak.lat);
        }}
      >
        <span class="effect-sign">{sign}</span>
        <span>
          <Sentence text={finding.text} />{' '}
          <span class="is-second">
            {said} · {finding.vessel} · {day(at, zone.value)}, {clock(at, zone.value)} {zoneLetters(at, zone.value)}
          </span>
        </span>
      </button>
      {isChosen && (
        <div class="effect-more">
          <dl class="before-after">
            <dt>{e.published}</dt>
            <dd>{before}</dd>
            <dt>{e.draft}</dt>
            <dd>{sign === '−' ? e.noFinding : said}</dd>
          </dl>
          <a class="button is-plain" href={linkOf(entry)}>
            {e.openReview}
          </a>
        </div>
      )}
    </li>
  );
}
