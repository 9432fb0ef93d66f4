/**
 * A style or tiles of one's own in place of plain land. Labels of a style are left out: they need a glyph server, and with
 * one the library would not take the page's fonts for ours. At dusk and night a veil dims what does not know our palettes.
 */
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { BaseMap } from '../api/types';
import { colour, type Palette } from './palette';

/** How much of [land] lies over it. */
const VEIL: Record<Palette, number> = { day: 0, dusk: 0.55, night: 0.82 };

/** Sources and layers to put on the land, below everything else. */
export interface Ground {
  sources: StyleSpecification['sources'];
  layers: LayerSpecification[];
  attribution: string;
}

/** Loads what the daemon names. Throws where it cannot be had. */
export async function groundOf(base: BaseMap | null | undefined): Promise<Ground | null> {
  if (base?.style_url) {
    const answer = await fetch(base.style_url);
    if (!answer.ok) throw new Error(`${base.style_url}: ${answer.status}`);
    return ofStyle((await answer.json()) as StyleSpecification, base.attribution);
  }
  if (!base?.tiles) return null;
  return {
    sources: { ground: { type: 'raster', tiles: [base.tiles], tileSize: 256, maxzoom: 19 } },
    layers: [{ id: 'ground', type: 'raster', source: 'ground', paint: { 'raster-fade-duration': 0 } }],
    attribution: base.attribution,
  };
}

/** Names get a prefix, so that they are none of ours. */
function ofStyle(style: StyleSpecification, attribution: string): Ground {
  const sources = Object.fromEntries(Object.entries(style.sources).map(([name, source]) => [`ground-${name}`, source]));
  const layers = style.layers
    .filter((layer) => layer.type !== 'symbol')
    .map((layer) => ({
      ...layer,
      id: `ground-${layer.id}`,
      ...('source' in layer && { source: `ground-${layer.source}` }),
    })) as LayerSpecification[];
  return { sources, layers, attribution };
}

export const veil = (palette: Palette): LayerSpecification => ({
  id: 'veil',
  type: 'background',
  paint: { 'background-color': colour('land', palette), 'background-opacity': VEIL[palette] },
});
