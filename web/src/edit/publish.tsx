/** What the draft would change, and putting it into force; two editors do not overwrite each other. */
import type { FeatureCollection } from 'geojson';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client';
import type { Finding, Job, Waterway } from '../api/types';
import { reviewLink } from '../findings/links';
import { failed } from '../live/doing';
import { now } from '../store/clock';
import { hearWaterway, notice, waterway } from '../store/store';
import { isoOf } from '../time';
import { words } from '../words/en';
import { Button, Choice, Dialog, Field, Pick } from '../ui/parts';
import { errorsIn } from './faults';
import { mergeThree } from './parts';
import {
  change,
  changes,
  closeDraft,
  draft,
  faults,
  job,
  jobFor,
  needsRun,
  openDraft,
  published,
  save,
  source,
} from './state';

const POLL_MS = 400;

async function runJob(days: number): Promise<void> {
  const mine = draft.value;
  if (!mine) return;
  const about = source.value;
  await save();
  const { id } = await ask<{ id: string }>(`/drafts/${encodeURIComponent(mine.id)}/what-would-change`, {
    method: 'POST',
    body: { from: isoOf(now() - days * 86_400_000), to: isoOf(now()) },
  });
  for (;;) {
    const state = await ask<Job>(`/jobs/${encodeURIComponent(id)}`);
    job.value = state;
    if (state.state === 'done' || state.state === 'failed') {
      jobFor.value = state.state === 'done' ? about : null;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** How many were gained, lost, have other odds. */
const countsOf = (run: Job): [number, number, number] =>
  run.counts ?? [run.gained.length, run.lost.length, run.other_odds.length];

/** Findings gained and lost by rule, each a way into review. */
export function WhatWouldChange() {
  const e = words.edit;
  const [days, setDays] = useState('7');
  const [isBusy, setBusy] = useState(false);
  const run = job.value;
  const [gained, lost, others] = run ? countsOf(run) : [0, 0, 0];
  const start = (): void => {
    setBusy(true);
    job.value = null;
    runJob(Number(days))
      .catch(failed)
      .finally(() => setBusy(false));
  };
  return (
    <div class="panel-body what">
      <div class="rows">
        <Choice
          label={e.period}
          options={['1', '7', '30'].map((n) => [n, e.days(Number(n))] as const)}
          value={days}
          onChange={setDays}
        />
        <Button kind="primary" disabled={isBusy} onClick={start}>
          {e.run}
        </Button>
      </div>
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
      {run && run.state !== 'failed' && (
        <>
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
          {(
            [
              ['+', run.gained],
              ['−', run.lost],
              ['~', run.other_odds],
            ] as const
          ).map(
            ([sign, list]) =>
              list.length > 0 && (
                <ul class="feature-list" key={sign}>
                  {list.slice(0, 100).map((one: Finding) => (
                    <li key={one.id}>
                      <a href={reviewLink(one)}>
                        <b>{sign}</b> {one.text}{' '}
                        <span class="is-second">
                          {one.vessel} · {one.title || one.rule}
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
              ),
          )}
        </>
      )}
    </div>
  );
}

interface Conflict {
  base: FeatureCollection;
  theirs: FeatureCollection;
  version: string;
}

export function PublishDialog({ onClose }: { onClose: () => void }) {
  const e = words.edit;
  const [comment, setComment] = useState('');
  const [skip, setSkip] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const mine = draft.value;
  const hasRun = jobFor.value === source.value && job.value?.state === 'done';
  const mustSay = needsRun.value && !hasRun;
  const publish = async (base = mine!.base_version): Promise<void> => {
    setFault(null);
    try {
      await save();
      const made = await ask<{ version: string; merged?: boolean; fault?: string | null }>(
        `/drafts/${encodeURIComponent(mine!.id)}/publish`,
        {
          method: 'POST',
          headers: { 'if-match': `"${base}"` },
          body: { comment, skip_reason: mustSay ? skip : undefined },
        },
      );
      notice.value = { text: e.publishedNow(made.version, !!made.merged, made.fault ?? null), isError: !!made.fault };
      const list = await ask<Waterway[]>('/waterways');
      for (const one of list) hearWaterway(one);
      closeDraft();
      onClose();
    } catch (cause) {
      const problem = cause instanceof ApiError ? (cause.problem as unknown as Partial<Conflict>) : null;
      if (cause instanceof ApiError && cause.status === 412 && problem?.theirs && problem.base)
        setConflict(problem as Conflict);
      else setFault((cause as Error).message);
    }
  };
  if (conflict)
    return (
      <ConflictDialog
        conflict={conflict}
        onClose={onClose}
        onMerged={() => {
          setConflict(null);
          void publish(conflict.version);
        }}
      />
    );
  const errors = errorsIn(faults.value);
  return (
    <Dialog title={e.publish} onClose={onClose}>
      <p>
        {e.summary(
          changes.value.length,
          hasRun ? countsOf(job.value!)[0] : null,
          hasRun ? countsOf(job.value!)[1] : null,
        )}
      </p>
      {errors > 0 && <p class="is-warning">{e.blocked(errors)}</p>}
      <label class="field">
        <span>{e.comment}</span>
        <textarea rows={3} value={comment} onInput={(event) => setComment(event.currentTarget.value)} />
      </label>
      {mustSay && (
        <Field label={e.skip} hint={e.needRun} value={skip} onInput={(event) => setSkip(event.currentTarget.value)} />
      )}
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
      <div class="rows">
        <Button
          kind="primary"
          disabled={errors > 0 || !comment.trim() || (mustSay && !skip.trim()) || changes.value.length === 0}
          onClick={() => void publish()}
        >
          {e.publishNow}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** For each feature both sides changed: mine, theirs; what one side changed merges by itself. */
function ConflictDialog({
  conflict,
  onClose,
  onMerged,
}: {
  conflict: Conflict;
  onClose: () => void;
  onMerged: () => void;
}) {
  const e = words.edit;
  const [choices, setChoices] = useState<Record<string, 'mine' | 'theirs'>>({});
  const own = source.value!;
  const { conflicts } = mergeThree(conflict.base, own, conflict.theirs, () => 'mine');
  const isReady = conflicts.every((id) => choices[id]);
  const merge = (): void => {
    const { merged } = mergeThree(conflict.base, own, conflict.theirs, (id) => choices[id] ?? 'mine');
    published.value = conflict.theirs;
    if (draft.value) draft.value = { ...draft.value, base_version: conflict.version };
    change(merged);
    onMerged();
  };
  return (
    <Dialog title={e.conflict} onClose={onClose}>
      <p>{e.conflictWhy}</p>
      <p>{e.features(conflicts.length)}</p>
      {conflicts.map((id) => (
        <div class="rows" key={id}>
          <b>{id}</b>
          <Choice
            label={id}
            options={[
              ['mine', e.mine],
              ['theirs', e.theirs],
            ]}
            value={choices[id] ?? null}
            onChange={(value) => setChoices({ ...choices, [id]: value })}
          />
        </div>
      ))}
      <div class="rows">
        <Button kind="primary" disabled={!isReady} onClick={merge}>
          {e.merged}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Chooses a draft, or begins one. */
export function DraftPick() {
  const e = words.edit;
  const [name, setName] = useState('');
  const [list, setList] = useState<{ id: string; name: string; author: string | null }[]>([]);
  const place = waterway.value;
  const path = place && `/waterways/${encodeURIComponent(place.id)}/drafts`;
  useEffect(() => {
    if (path && !draft.value) ask<typeof list>(path).then(setList, failed);
  }, [path, draft.value]);
  const begin = async (): Promise<void> => {
    try {
      const made = await ask<{ id: string }>(path!, { method: 'POST', body: { name: name.trim() } });
      await openDraft(made.id);
    } catch (cause) {
      failed(cause);
    }
  };
  const remove = async (): Promise<void> => {
    if (!draft.value || !confirm(e.reallyDelete)) return;
    try {
      await ask(`/drafts/${encodeURIComponent(draft.value.id)}`, { method: 'DELETE' });
      closeDraft();
    } catch (cause) {
      failed(cause);
    }
  };
  if (draft.value) return <Button onClick={() => void remove()}>{e.deleteDraft}</Button>;
  return (
    <div class="panel-body draft-pick">
      <p>{e.start}</p>
      {list.length > 0 && (
        <Pick
          label={e.draft}
          value=""
          options={[['', '–'] as const, ...list.map((one) => [one.id, `${one.name} (${e.by(one.author)})`] as const)]}
          onChange={(id) => {
            if (id) void openDraft(id).catch(failed);
          }}
        />
      )}
      <Field label={e.draftName} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <Button kind="primary" disabled={!name.trim()} onClick={() => void begin()}>
        {e.begin}
      </Button>
    </div>
  );
}
