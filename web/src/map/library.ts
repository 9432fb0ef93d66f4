/**
 * The map library is more than half of all that is loaded: it comes beside the rest, so that bar, lists and the daemon's
 * answers do not wait for it. It is asked for when the console begins, whichever screen is gone to.
 */
import type { Map as GlMap } from 'maplibre-gl';
import workerPath from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import '../style/maplibrary.css';

const workerUrl = new URL(workerPath, location.href).href;
type Library = { Map: typeof GlMap };
let coming: Promise<Library> | null = null;

export function mapLibrary(): Promise<Library> {
  coming ??= load().catch((cause: Error) => {
    // What failed is tried again by the next map.
    coming = null;
    throw cause;
  });
  return coming;
}

async function load(): Promise<Library> {
  const { Map, prewarm, setWorkerUrl } = await import('./maplibre');
  setWorkerUrl(workerUrl);
  // Its worker comes at once, not before it, so that neither takes the line from what is drawn first; and not only with a map.
  prewarm();
  return { Map };
}

/** The fonts that text on the map is drawn from. */
export const mapFonts = Promise.all(
  ['500 24px "Buoyline Medium"', '700 24px "Buoyline Bold"'].map((font) => document.fonts.load(font)),
);
