/** The draft on screen: undone and redone without limit, saved as it is changed, checked as it is saved. */
import { computed, signal } from '@preact/signals';
import type { Feature, FeatureCollection } from 'geojson';
import { ApiError, ask, askFull } from '../api/client';
import type { Draft, Fault, Job } from '../api/types';
import { idOf, loadZones, type Zones } from '../map/zones';
import { notice } from '../store/store';
import { words } from '../words/en';
import { changesBetween, mergeThree } from './parts';
import { keepSteps, stepsOf } from './undostore';
import { acceptanceOf, ACCEPTED, faultsOf, type Acceptance } from './faults';

export type Look = 'draft' | 'published' | 'both';
export type Tool = 'select' | 'point' | 'line' | 'area' | 'split' | 'reorder';

export type Panel = 'features' | 'lint' | 'form' | 'past' | 'what';

export const draft = signal<Draft | null>(null);
export const source = signal<FeatureCollection | null>(null);
/** The file in force. */
export const published = signal<FeatureCollection | null>(null);
/** The file the draft began from: the one in force, unless somebody has published since. */
export const base = signal<FeatureCollection | null>(null);
/** What the daemon derived from the draft as last saved. */
export const derived = signal<Zones | null>(null);
export const look = signal<Look>('draft');
export const tool = signal<Tool>('select');
/** What is shown beside the map. */
export const panel = signal<Panel>('features');
export const newKind = signal('dock');
export const selectedId = signal<string | null>(null);
/** What the check said of the draft as last saved, the worst first. */
export const allFaults = signal<Fault[]>([]);
export const saveState = signal<{ is: 'saved' | 'saving' | 'unsaved'; why?: string }>({ is: 'saved' });
export const job = signal<Job | null>(null);
/** The state of the draft the last finished run was about. */
export const jobFor = signal<FeatureCollection | null>(null);
/** Another window or person changed the same draft, and both changed the same features. */
export const clash = signal<{ base: FeatureCollection; theirs: FeatureCollection; by: string } | null>(null);

const past: FeatureCollection[] = [];
const future: FeatureCollection[] = [];
export const canUndo = signal(false);
export const canRedo = signal(false);

/** A draft as long as it is open here: how the daemon has it, and what a change of it is sent with. */
interface Opened {
  id: string;
  etag: string | null;
  stored: FeatureCollection | null;
}
let opened: Opened | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const SAVE_MS = 250;

export const changes = computed(() => (base.value && source.value ? changesBetween(base.value, source.value) : []));
export const selected = computed<Feature | null>(
  () => source.value?.features.find((feature, i) => (idOf(feature) ?? `#${i}`) === selectedId.value) ?? null,
);

/** The faults that stand, numbered from 1 in list and map; and those that were accepted. */
const sorted = computed(() => {
  const open: Fault[] = [];
  const accepted: { fault: Fault; by: Acceptance }[] = [];
  for (const fault of allFaults.value) {
    const by = acceptanceOf(source.value, fault);
    if (by) accepted.push({ fault, by });
    else open.push(fault);
  }
  return { open, accepted };
});
export const faults = computed<Fault[]>(() => sorted.value.open);
export const acceptedFaults = computed(() => sorted.value.accepted);

export const keyOf = (feature: Feature, index: number): string => idOf(feature) ?? `#${index}`;

/** Reads the file in force. */
export async function readPublished(waterway: string): Promise<void> {
  published.value = await ask<FeatureCollection>(`/waterways/${encodeURIComponent(waterway)}/source`);
}

export async function openDraft(id: string): Promise<void> {
  const { body, etag: tag } = await askFull<Draft>(`/drafts/${encodeURIComponent(id)}`);
  const from = await ask<FeatureCollection>(`/drafts/${encodeURIComponent(id)}/base`);
  const etag = tag ?? body.etag ?? null;
  const kept = await stepsOf(body.id, etag);
  draft.value = body;
  base.value = from;
  source.value = body.source ?? null;
  opened = { id: body.id, etag, stored: source.value };
  past.splice(0, Infinity, ...(kept?.past ?? []));
  future.splice(0, Infinity, ...(kept?.future ?? []));
  noteUndo();
  saveState.value = { is: 'saved' };
  job.value = null;
  jobFor.value = null;
  clash.value = null;
  await Promise.all([checkNow(), deriveNow()]);
}

export function closeDraft(): void {
  clearTimeout(timer);
  // What was changed a moment ago is written all the same.
  const [mine, map] = [opened, source.value];
  if (mine && map && saveState.value.is === 'saving') void (writing ?? Promise.resolve()).then(() => write(mine, map));
  opened = null;
  draft.value = null;
  source.value = null;
  base.value = null;
  derived.value = null;
  allFaults.value = [];
  selectedId.value = null;
  tool.value = 'select';
  look.value = 'draft';
  job.value = null;
  jobFor.value = null;
  clash.value = null;
}

function noteUndo(): void {
  canUndo.value = past.length > 0;
  canRedo.value = future.length > 0;
}

/** Takes a changed map in; the one before can be had back. */
export function change(next: FeatureCollection): void {
  if (!source.value) return;
  past.push(source.value);
  future.length = 0;
  put(next);
}

export function changeFeature(id: string, make: (feature: Feature) => Feature): void {
  const map = source.value;
  if (!map) return;
  change({ ...map, features: map.features.map((feature, i) => (keyOf(feature, i) === id ? make(feature) : feature)) });
}

export function removeFeature(id: string): void {
  const map = source.value;
  if (!map) return;
  selectedId.value = null;
  change({ ...map, features: map.features.filter((feature, i) => keyOf(feature, i) !== id) });
}

export function undo(): void {
  const before = past.pop();
  if (!before || !source.value) return;
  future.push(source.value);
  put(before);
}

export function redo(): void {
  const next = future.pop();
  if (!next || !source.value) return;
  past.push(source.value);
  put(next);
}

function put(next: FeatureCollection): void {
  source.value = next;
  noteUndo();
  saveState.value = { is: 'saving' };
  clearTimeout(timer);
  timer = setTimeout(() => void save(), SAVE_MS);
}

let writing: Promise<void> | null = null;

/** Writes the draft as it is now, after what is being written; resolves when that is done or was refused. */
export async function save(): Promise<void> {
  clearTimeout(timer);
  while (writing) await writing;
  const [mine, map] = [opened, source.value];
  if (!mine || !map || saveState.value.is === 'saved' || clash.value) return;
  writing = write(mine, map).finally(() => {
    writing = null;
  });
  await writing;
}

async function write(mine: Opened, map: FeatureCollection): Promise<void> {
  if (mine.stored === map) return;
  try {
    const answer = await askFull<Partial<Draft> | undefined>(`/drafts/${encodeURIComponent(mine.id)}`, {
      method: 'PUT',
      body: map,
      headers: mine.etag ? { 'if-match': mine.etag } : {},
    });
    mine.etag = answer.etag ?? answer.body?.etag ?? mine.etag;
    mine.stored = map;
    if (opened !== mine) return;
    if (source.value === map) {
      saveState.value = { is: 'saved' };
      if (mine.etag) void keepSteps(mine.id, mine.etag, { past, future });
    } else timer = setTimeout(() => void save(), SAVE_MS);
    await Promise.all([checkNow(), deriveNow()]);
  } catch (cause) {
    if (opened !== mine) return;
    if (cause instanceof ApiError && cause.status === 412) return takeTheirs();
    saveState.value = { is: 'unsaved', why: (cause as Error).message };
    // Without a connection it is tried again; a refusal waits for a change.
    if (cause instanceof ApiError && cause.isOffline) timer = setTimeout(() => void save(), 3000);
  }
}

/** The same draft was changed elsewhere: both changes in one where they touch other features, else it is asked. */
export async function takeTheirs(): Promise<void> {
  const mine = opened;
  if (!mine?.stored) return;
  try {
    const { body, etag: tag } = await askFull<Draft>(`/drafts/${encodeURIComponent(mine.id)}`);
    const [base, own, theirs] = [mine.stored, source.value, body.source];
    if (!theirs || !own || opened !== mine) return;
    mine.etag = tag ?? body.etag ?? null;
    mine.stored = theirs;
    const { merged, conflicts } = mergeThree(base, own, theirs, () => 'mine');
    if (conflicts.length) {
      clash.value = { base, theirs, by: body.author };
      saveState.value = { is: 'unsaved', why: words.edit.clash(body.author) };
      return;
    }
    notice.value = { text: words.edit.theirsTaken(body.author) };
    if (JSON.stringify(merged) === JSON.stringify(theirs)) {
      source.value = theirs;
      saveState.value = { is: 'saved' };
      await Promise.all([checkNow(), deriveNow()]);
    } else put(merged);
  } catch (cause) {
    saveState.value = { is: 'unsaved', why: (cause as Error).message };
  }
}

/** Whether the daemon's copy of this draft is another than the one that was read or written here last. */
export const isChangedElsewhere = (tag: string | undefined): boolean =>
  tag !== undefined && !!opened?.etag && tag !== opened.etag && saveState.value.is === 'saved' && writing === null;

async function checkNow(): Promise<void> {
  const mine = draft.value;
  if (!mine) return;
  try {
    const said = faultsOf(await ask<unknown>(`/drafts/${encodeURIComponent(mine.id)}/check`, { method: 'POST' }));
    if (draft.value?.id === mine.id) allFaults.value = said;
  } catch (cause) {
    if (draft.value?.id === mine.id) allFaults.value = [{ severity: 'note', message: (cause as Error).message }];
  }
}

/** Buoy lines, inshore areas and strips of the draft, as the daemon derives them; the last ones stay where it cannot. */
async function deriveNow(): Promise<void> {
  const mine = draft.value;
  if (!mine) return;
  try {
    const made = await loadZones(mine.waterway, null, `/drafts/${encodeURIComponent(mine.id)}/map`);
    if (draft.value?.id === mine.id) derived.value = made;
  } catch {
    // The faults say why.
  }
}

/** Properties by which nothing is judged. */
const WORDS_ONLY = new Set(['note', 'name', 'source', 'survey_accuracy', 'review_by', ACCEPTED]);

/** Whether publishing asks for a run first: geometry or limits change. */
export const needsRun = computed(() =>
  changes.value.some((one) => one.isGeometry || one.keys.some((key) => !WORDS_ONLY.has(key))),
);
