/** The draft on screen: undone and redone without limit, saved every two seconds, checked as it is saved. */
import { computed, signal } from '@preact/signals';
import type { Feature, FeatureCollection } from 'geojson';
import { ApiError, ask, askFull } from '../api/client';
import type { Draft, Fault, Job } from '../api/types';
import { idOf, loadZones, type Zones } from '../map/zones';
import { changesBetween } from './parts';
import { faultsOf } from './faults';

export type Look = 'draft' | 'published' | 'both';
export type Tool = 'select' | 'point' | 'line' | 'area' | 'reorder';

export const draft = signal<Draft | null>(null);
export const source = signal<FeatureCollection | null>(null);
export const published = signal<FeatureCollection | null>(null);
/** What the daemon derived from the draft as last saved. */
export const derived = signal<Zones | null>(null);
export const look = signal<Look>('draft');
export const tool = signal<Tool>('select');
export const newKind = signal('dock');
export const selectedId = signal<string | null>(null);
export const faults = signal<Fault[]>([]);
export const saveState = signal<{ is: 'saved' | 'saving' | 'unsaved'; why?: string }>({ is: 'saved' });
export const job = signal<Job | null>(null);
/** The state of the draft the last finished run was about. */
export const jobFor = signal<FeatureCollection | null>(null);

const past: FeatureCollection[] = [];
const future: FeatureCollection[] = [];
export const canUndo = signal(false);
export const canRedo = signal(false);

let etag: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const SAVE_MS = 1000;

export const changes = computed(() =>
  published.value && source.value ? changesBetween(published.value, source.value) : [],
);
export const selected = computed<Feature | null>(
  () => source.value?.features.find((feature, i) => (idOf(feature) ?? `#${i}`) === selectedId.value) ?? null,
);

export const keyOf = (feature: Feature, index: number): string => idOf(feature) ?? `#${index}`;

export async function openDraft(id: string): Promise<void> {
  const { body, etag: tag } = await askFull<Draft>(`/drafts/${encodeURIComponent(id)}`);
  draft.value = body;
  etag = tag ?? body.etag ?? null;
  source.value = body.source ?? null;
  past.length = future.length = 0;
  noteUndo();
  saveState.value = { is: 'saved' };
  job.value = null;
  jobFor.value = null;
  await Promise.all([checkNow(), deriveNow()]);
}

export function closeDraft(): void {
  clearTimeout(timer);
  draft.value = null;
  source.value = null;
  derived.value = null;
  faults.value = [];
  selectedId.value = null;
  tool.value = 'select';
  look.value = 'draft';
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

/** Writes the draft as it is now; what was changed meanwhile is written next. */
export async function save(): Promise<void> {
  clearTimeout(timer);
  const mine = draft.value;
  const map = source.value;
  if (!mine || !map || saveState.value.is === 'saved') return;
  try {
    const answer = await askFull<Partial<Draft> | undefined>(`/drafts/${encodeURIComponent(mine.id)}`, {
      method: 'PUT',
      body: map,
      headers: etag ? { 'if-match': etag } : {},
    });
    etag = answer.etag ?? answer.body?.etag ?? etag;
    if (source.value === map) saveState.value = { is: 'saved' };
    else timer = setTimeout(() => void save(), SAVE_MS);
    await Promise.all([checkNow(), deriveNow()]);
  } catch (cause) {
    saveState.value = { is: 'unsaved', why: (cause as Error).message };
    // Without a connection it is tried again; a refusal waits for a change.
    if (cause instanceof ApiError && cause.isOffline) timer = setTimeout(() => void save(), 3000);
  }
}

async function checkNow(): Promise<void> {
  if (!draft.value) return;
  try {
    faults.value = faultsOf(
      await ask<unknown>(`/drafts/${encodeURIComponent(draft.value.id)}/check`, { method: 'POST' }),
    );
  } catch (cause) {
    faults.value = [{ severity: 'note', message: (cause as Error).message }];
  }
}

/** Buoy lines, inshore areas and strips of the draft, as the daemon derives them; the last ones stay where it cannot. */
async function deriveNow(): Promise<void> {
  if (!draft.value) return;
  try {
    derived.value = await loadZones(draft.value.waterway, null, `/drafts/${encodeURIComponent(draft.value.id)}/map`);
  } catch {
    // The faults say why.
  }
}

/** Whether publishing asks for a run first: geometry or limits change. */
export const needsRun = computed(() =>
  changes.value.some((one) => one.isGeometry || one.keys.some((key) => key !== 'note' && key !== 'name')),
);
