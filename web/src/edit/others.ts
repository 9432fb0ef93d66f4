/** Who else is editing this map, and what: said before anybody loses work. */
import { computed, signal } from '@preact/signals';
import { ask } from '../api/client';
import type { Draft } from '../api/types';
import { me } from '../store/store';
import { draft, isChangedElsewhere, takeTheirs } from './state';

/** The drafts of this waterway, the one changed last first. */
export const drafts = signal<Draft[]>([]);

/** Drafts beside the one on screen that change something. */
export const otherDrafts = computed(() =>
  drafts.value.filter((one) => one.id !== draft.value?.id && (one.changes?.length ?? 0) > 0),
);

/** Of a feature: the others whose drafts change it too. */
export const othersOn = (id: string | null): Draft[] =>
  id === null ? [] : otherDrafts.value.filter((one) => one.changes?.includes(id));

export const isMine = (one: Draft): boolean => one.author === (me.value?.user ?? 'demo');

const EVERY_MS = 5000;

export async function readDrafts(waterway: string): Promise<void> {
  const list = await ask<Draft[]>(`/waterways/${encodeURIComponent(waterway)}/drafts`);
  drafts.value = list;
  const own = list.find((one) => one.id === draft.value?.id);
  if (own && isChangedElsewhere(own.etag)) await takeTheirs();
}

/** Keeps the list fresh while the editor is open. */
export function watchDrafts(waterway: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = (): void => {
    void readDrafts(waterway)
      // Without a connection the bar says so; the list stays as it was.
      .catch(() => undefined)
      .finally(() => {
        if (!isOver) timer = setTimeout(look, EVERY_MS);
      });
  };
  look();
  return () => {
    isOver = true;
    clearTimeout(timer);
    drafts.value = [];
  };
}

/** "D-12 to D-20, swim": ids that count up in one run are drawn together. */
export function runsOf(ids: readonly string[]): string[] {
  const split = ids.map((id) => {
    const found = /^(.*?)(\d+)$/.exec(id);
    return { id, stem: found ? found[1]! : id, n: found ? Number(found[2]) : null };
  });
  split.sort((a, b) => a.stem.localeCompare(b.stem) || (a.n ?? -1) - (b.n ?? -1));
  const runs: (typeof split)[] = [];
  for (const one of split) {
    const last = runs.at(-1)?.at(-1);
    if (last && one.n !== null && last.stem === one.stem && last.n !== null && one.n === last.n + 1)
      runs.at(-1)!.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]!.id} to ${run.at(-1)!.id}`] : run.map((one) => one.id)));
}
