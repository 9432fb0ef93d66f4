/** Putting the draft into force; two editors do not overwrite each other. And choosing a draft, or beginning one. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client';
import type { Waterway } from '../api/types';
import { failed } from '../live/doing';
import { secondNow } from '../store/clock';
import { hearWaterway, notice, waterway, zone } from '../store/store';
import { age, clock, day, fromLocal, isoOf, msOf, toLocal, zoneLetters } from '../time';
import { words } from '../words/en';
import { Button, Choice, Dialog, Field } from '../ui/parts';
import type { Three } from './conflict';
import { later } from './later';
import { Counts, countsOf, hasRun, isRunning, startRun } from './effect';
import { errorsIn } from './faults';
import { drafts, isMine, readDrafts, runsOf } from './others';
import { openFeature } from './show';
import {
  base,
  change,
  changes,
  clash,
  closeDraft,
  draft,
  faults,
  job,
  needsRun,
  openDraft,
  save,
  saveState,
  source,
} from './state';

const ConflictDialog = later(() => import('./conflict').then((part) => part.ConflictDialog));

interface Conflict extends Three {
  version: string;
}

interface Published {
  n: number;
  version: string;
  merged?: boolean;
  fault?: string | null;
  valid_from?: string | null;
}

const inZone = (ms: number, place: string): string =>
  `${day(ms, place)}, ${clock(ms, place)} ${zoneLetters(ms, place)}`;

export function PublishDialog({ onClose }: { onClose: () => void }) {
  const e = words.edit;
  const [comment, setComment] = useState('');
  const [skip, setSkip] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [holds, setHolds] = useState<'now' | 'later'>('now');
  const place = zone.value;
  // Tomorrow at midnight, until another time is typed.
  const [from, setFrom] = useState(() => `${toLocal(Date.now() + 86_400_000, place).slice(0, 10)}T00:00`);
  const fromMs = fromLocal(from, place);
  const isPast = holds === 'later' && (fromMs === null || fromMs <= secondNow.value);
  const mine = draft.value;
  if (!mine) return null;
  const mustSay = needsRun.value && !hasRun.value;
  const publish = async (on = mine.base_version): Promise<void> => {
    setFault(null);
    setBusy(true);
    try {
      await save();
      if (saveState.value.is === 'unsaved') throw new Error(e.unsaved(saveState.value.why ?? ''));
      const made = await ask<Published>(`/drafts/${encodeURIComponent(mine.id)}/publish`, {
        method: 'POST',
        headers: { 'if-match': `"${on}"` },
        body: {
          comment,
          skip_reason: mustSay ? skip : undefined,
          valid_from: holds === 'later' && fromMs !== null ? isoOf(fromMs) : undefined,
        },
      });
      notice.value = {
        text: made.valid_from
          ? e.coming.published(made.n, inZone(msOf(made.valid_from), place))
          : e.publishedNow(made.n, made.version, !!made.merged, made.fault ?? null),
        isError: !!made.fault,
      };
      const list = await ask<Waterway[]>('/waterways');
      for (const one of list) hearWaterway(one);
      closeDraft();
      onClose();
    } catch (cause) {
      const problem = cause instanceof ApiError ? (cause.problem as unknown as Partial<Conflict>) : null;
      if (cause instanceof ApiError && cause.status === 412 && problem?.theirs && problem.base)
        setConflict(problem as Conflict);
      else setFault((cause as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (conflict)
    return (
      <ConflictDialog
        title={e.conflict}
        three={conflict}
        mine={source.value!}
        onClose={onClose}
        onMerged={(merged, toEdit) => {
          setConflict(null);
          // From here on the draft stands on what they published.
          base.value = conflict.theirs;
          draft.value = { ...mine, base_version: conflict.version };
          change(merged);
          if (!toEdit.length) return void publish(conflict.version);
          onClose();
          openFeature(toEdit[0]!);
        }}
      />
    );
  const errors = errorsIn(faults.value);
  const run = job.value;
  return (
    <Dialog title={e.publish} onClose={onClose}>
      <p>
        <b>
          {e.summary(
            changes.value.length,
            hasRun.value ? countsOf(run!)[0] : null,
            hasRun.value ? countsOf(run!)[1] : null,
          )}
        </b>
      </p>
      {errors > 0 && <p class="is-warning">{e.blocked(errors)}</p>}
      {hasRun.value && run && <Counts run={run} />}
      {mustSay && (
        <div class="must-say">
          <p>{e.needRun}</p>
          <div class="rows">
            <Button disabled={isRunning.value} onClick={() => startRun(7)}>
              {e.runNow}
            </Button>
            {isRunning.value && <progress value={run?.done ?? 0} />}
          </div>
          <Field label={e.skip} value={skip} onInput={(event) => setSkip(event.currentTarget.value)} />
        </div>
      )}
      <label class="field">
        <span>{e.comment}</span>
        <textarea rows={3} value={comment} onInput={(event) => setComment(event.currentTarget.value)} />
      </label>
      <Choice
        label={e.coming.holds}
        options={[
          ['now', e.coming.now],
          ['later', e.coming.later],
        ]}
        value={holds}
        onChange={setHolds}
      />
      {holds === 'later' && (
        <Field
          label={e.coming.at(zoneLetters(fromMs ?? Date.now(), place))}
          type="datetime-local"
          value={from}
          fault={isPast ? e.coming.past : null}
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
      )}
      <p class="is-second">{holds === 'now' ? e.fromNow : e.coming.how}</p>
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
      <div class="rows">
        <Button
          kind="primary"
          disabled={
            isBusy || errors > 0 || !comment.trim() || (mustSay && !skip.trim()) || changes.value.length === 0 || isPast
          }
          onClick={() => void publish()}
        >
          {holds === 'now' ? e.publishNow : e.coming.publish}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** The same draft was changed in two windows, and both changed the same feature. */
export function ClashDialog() {
  const now = clash.value;
  const own = source.value;
  if (!now || !own) return null;
  const settle = (merged: typeof own): void => {
    clash.value = null;
    change(merged);
  };
  return (
    <ConflictDialog
      title={words.edit.clash(now.by)}
      three={now}
      mine={own}
      // Closing decides nothing away: what is on screen stays, theirs can be had back by Undo.
      onClose={() => settle(own)}
      onMerged={(merged, toEdit) => {
        settle(merged);
        if (toEdit.length) openFeature(toEdit[0]!);
      }}
    />
  );
}

/** Chooses a draft, or begins one. */
export function DraftPick() {
  const e = words.edit;
  const [name, setName] = useState('');
  const place = waterway.value;
  const begin = async (): Promise<void> => {
    if (!place) return;
    try {
      const made = await ask<{ id: string }>(`/waterways/${encodeURIComponent(place.id)}/drafts`, {
        method: 'POST',
        body: { name: name.trim() },
      });
      await openDraft(made.id);
    } catch (cause) {
      failed(cause);
    }
  };
  return (
    <div class="panel-body draft-pick">
      <p>{e.start}</p>
      {drafts.value.length > 0 && (
        <ul class="draft-list" aria-label={e.draftsHere}>
          {drafts.value.map((one) => (
            <li key={one.id}>
              <button type="button" onClick={() => void openDraft(one.id).catch(failed)}>
                <b>{one.name}</b>
                <span class="is-second">
                  {isMine(one) ? e.you : e.by(one.author)} · {e.ago(age((secondNow.value - msOf(one.at)) / 1000))}
                </span>
                <span>{one.changes?.length ? e.touches(runsOf(one.changes), one.changes.length) : e.noChangesYet}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="rows"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) void begin();
        }}
      >
        <Field label={e.draftName} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <Button kind="primary" type="submit" disabled={!name.trim()}>
          {e.begin}
        </Button>
      </form>
    </div>
  );
}

const isDeleting = signal(false);

/** Leaves the draft as it is, or deletes it for good. */
export const DraftEnd = () => (
  <>
    <Button onClick={closeDraft}>{words.edit.leave}</Button>
    <Button onClick={() => (isDeleting.value = true)}>{words.edit.deleteDraft}</Button>
  </>
);

/** Asks before a draft is gone for good. */
export function DeleteDialog() {
  const e = words.edit;
  const mine = draft.value;
  if (!isDeleting.value || !mine) return null;
  const close = (): void => {
    isDeleting.value = false;
  };
  const remove = async (): Promise<void> => {
    close();
    try {
      await ask(`/drafts/${encodeURIComponent(mine.id)}`, { method: 'DELETE' });
      saveState.value = { is: 'saved' };
      closeDraft();
      await readDrafts(mine.waterway);
    } catch (cause) {
      failed(cause);
    }
  };
  return (
    <Dialog title={e.deleteDraft} onClose={close}>
      <p>{e.reallyDelete(mine.name, changes.value.length)}</p>
      <div class="rows">
        <Button kind="primary" onClick={() => void remove()}>
          {e.deleteDraft}
        </Button>
        <Button onClick={close}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}
