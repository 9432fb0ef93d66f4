/**
 * What can be undone in a draft, kept in this browser so that it is there after a reload. It belongs to the draft as the
 * daemon has it: once somebody else has written the draft, going back would take their work away, and it is dropped.
 */
import type { FeatureCollection } from 'geojson';

const NAME = 'buoyline-undo';
const STORE = 'drafts';
/** So many steps are kept each way. Maps of one record share the features that did not change. */
const MOST = 100;
/** Drafts nobody opened for so long are forgotten. */
const KEPT_MS = 30 * 86_400_000;

export interface Steps {
  /** The oldest first. */
  past: FeatureCollection[];
  /** The next to be done again last. */
  future: FeatureCollection[];
}
interface Kept extends Steps {
  id: string;
  etag: string;
  at: number;
}

const asPromise = <T>(asked: IDBRequest<T>): Promise<T> =>
  new Promise((done, failed) => {
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error ?? new Error('the store of this browser refused'));
  });

/** Does `work` on the store; null where the browser keeps nothing (a private window, a full disk): undo then ends here. */
async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T | null> {
  try {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'id' });
    const base = await asPromise(opening);
    try {
      return await work(base.transaction(STORE, mode).objectStore(STORE));
    } finally {
      base.close();
    }
  } catch {
    return null;
  }
}

export async function keepSteps(id: string, etag: string, { past, future }: Steps): Promise<void> {
  const kept: Kept = { id, etag, past: past.slice(-MOST), future: future.slice(-MOST), at: Date.now() };
  await within('readwrite', (store) => asPromise(store.put(kept)));
}

/** The steps of a draft, if it still is the one they were kept for; steps of drafts long gone are dropped. */
export async function stepsOf(id: string, etag: string | null): Promise<Steps | null> {
  const kept = await within('readwrite', async (store) => {
    const all = (await asPromise(store.getAll())) as Kept[];
    for (const one of all) if (one.at < Date.now() - KEPT_MS) store.delete(one.id);
    return all.find((one) => one.id === id) ?? null;
  });
  return kept && kept.etag === etag ? kept : null;
}

/** Nothing is left for whoever logs in next. */
export function forgetSteps(): void {
  indexedDB.deleteDatabase(NAME);
}
