/** The drawing library on the map: the chosen feature's pieces with handles, and new features as they are drawn. */
import { effect } from '@preact/signals';
import type { Feature, Position } from 'geojson';
import {
  TerraDraw,
  TerraDrawLineStringMode,
  TerraDrawPointMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
  type GeoJSONStoreFeatures,
} from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';
import { colour, palette } from '../map/palette';
import type { MapHandle } from '../map/view';
import { isPhone } from '../ui/size';
import { piecesOf, withPiece, type Piece } from './parts';
import { takeCut } from './reshape';
import { snapOn } from './snap';
import { change, changeFeature, keyOf, look, newKind, panel, selected, selectedId, source, tool } from './state';

/** Beyond this many corners handles are not drawn: the browser would not keep up. */
export const CORNERS_MOST = 1500;
const DIGITS = 7;

/** The corner that was set last of what is being drawn. */
export let lastCorner: () => Position | null = () => null;

type Hex = `#${string}`;
const hex = (token: Parameters<typeof colour>[0]): Hex => colour(token, palette.peek()) as Hex;

const rounded = (piece: Piece): Piece =>
  JSON.parse(JSON.stringify(piece), (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(DIGITS)) : value,
  ) as Piece;
const MODE = { Point: 'point', LineString: 'linestring', Polygon: 'polygon' } as const;

export function startDrawing(handle: MapHandle, onDrawn: (feature: Feature) => void): () => void {
  const size = matchMedia('(pointer: coarse)').matches ? 14 : 7;
  const snapping = { toLine: true, toCoordinate: true, toCustom: snapOn(handle.map) };
  const coordinates = { midpoints: { draggable: true }, draggable: true, deletable: true, snappable: snapping };
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map: handle.map, coordinatePrecision: 9 }),
    modes: [
      new TerraDrawSelectMode({
        pointerDistance: 24,
        allowManualDeselection: false,
        flags: {
          point: { feature: { draggable: true } },
          linestring: { feature: { draggable: true, coordinates } },
          polygon: { feature: { draggable: true, coordinates } },
        },
        styles: {
          selectedPointColor: hex('accent'),
          selectedLineStringColor: hex('accent'),
          selectedPolygonColor: hex('accent'),
          selectedPolygonFillOpacity: 0.12,
          selectedPolygonOutlineColor: hex('accent'),
          selectedPolygonOutlineWidth: 2,
          selectedLineStringWidth: 2.5,
          selectionPointColor: hex('surface'),
          selectionPointOutlineColor: hex('accent'),
          selectionPointOutlineWidth: 2,
          selectionPointWidth: size,
          midPointColor: hex('accent'),
          midPointOutlineColor: hex('surface'),
          midPointWidth: size * 0.65,
        },
      }),
      new TerraDrawPointMode({
        styles: { pointColor: hex('accent'), pointOutlineColor: hex('surface'), pointWidth: 7 },
      }),
      new TerraDrawLineStringMode({ snapping, styles: { lineStringColor: hex('accent'), lineStringWidth: 2.5 } }),
      new TerraDrawPolygonMode({
        snapping,
        styles: { fillColor: hex('accent'), fillOpacity: 0.15, outlineColor: hex('accent'), outlineWidth: 2 },
      }),
    ],
  });
  draw.start();
  lastCorner = () => {
    const drawn = draw.getSnapshot().at(-1)?.geometry;
    // The last corner follows the pointer; the one before it was set.
    if (drawn?.type === 'LineString') return drawn.coordinates.at(-2) ?? null;
    return drawn?.type === 'Polygon' ? (drawn.coordinates[0]?.at(-3) ?? null) : null;
  };
  /** The library's ids of the chosen feature's pieces, in their order. */
  let pieces: (string | number)[] = [];
  let shownFeature: Feature | null = null;
  let isOurs = false;

  const load = (feature: Feature | null): void => {
    isOurs = true;
    draw.clear();
    pieces = [];
    shownFeature = feature;
    if (feature?.geometry && look.peek() !== 'published') {
      const parts = piecesOf(feature.geometry);
      if (JSON.stringify(parts).length < CORNERS_MOST * 44) {
        const added = draw.addFeatures(
          parts.map(
            (part) =>
              ({
                type: 'Feature',
                geometry: rounded(part),
                properties: { mode: MODE[part.type] },
              }) as GeoJSONStoreFeatures,
          ),
        );
        pieces = added.map((one) => one.id ?? '');
        const first = added.find((one) => one.valid && one.id !== undefined);
        if (first?.id !== undefined && draw.getMode() === 'select') draw.selectFeature(first.id);
      }
    }
    isOurs = false;
  };

  /** A drag has ended: the piece goes into the draft, all other coordinates stay as they were. */
  const taken = (id: string | number): void => {
    const feature = shownFeature;
    const index = pieces.indexOf(id);
    const drawn = draw.getSnapshotFeature(id);
    if (!feature || index < 0 || !drawn || selectedId.peek() === null) return;
    const geometry = withPiece(feature.geometry, index, rounded(drawn.geometry as Piece));
    shownFeature = { ...feature, geometry };
    changeFeature(selectedId.peek()!, (one) => ({ ...one, geometry }));
  };

  draw.on('finish', (id, context) => {
    if (context.action === 'draw') {
      const drawn = draw.getSnapshotFeature(id);
      const piece = drawn && rounded(drawn.geometry as Piece);
      // A cut that missed is drawn again.
      const isDone = !(piece?.type === 'LineString' && tool.peek() === 'split') || takeCut(piece.coordinates);
      if (piece && tool.peek() !== 'split') onDrawn({ type: 'Feature', geometry: piece, properties: {} });
      isOurs = true;
      draw.removeFeatures([id]);
      isOurs = false;
      if (isDone) tool.value = 'select';
    } else taken(id);
  });
  draw.on('change', (ids, kind) => {
    // A corner deleted in the library ends without a "finish".
    if (!isOurs && kind === 'delete' && draw.getMode() === 'select')
      for (const id of ids) if (pieces.includes(id)) taken(id);
  });

  const stopTool = effect(() => {
    const mode = {
      select: 'select',
      point: 'point',
      line: 'linestring',
      split: 'linestring',
      area: 'polygon',
      reorder: 'select',
    }[tool.value];
    void [look.value];
    // On the phone points are set under the fixed cross, never by a tap that only meant to move the map.
    draw.setMode(isPhone.value && mode !== 'select' ? 'static' : mode);
    load(tool.value === 'select' ? selected.peek() : null);
  });
  const stopChosen = effect(() => {
    const feature = selected.value;
    if (tool.peek() !== 'select') return;
    // What was dragged here is drawn already.
    if (
      feature &&
      shownFeature &&
      JSON.stringify(feature.geometry) === JSON.stringify(shownFeature.geometry) &&
      pieces.length
    )
      return;
    load(feature);
  });
  return () => {
    stopTool();
    stopChosen();
    draw.stop();
    lastCorner = () => null;
  };
}

/** Takes a drawn feature into the draft under a new id, and chooses it. */
export function takeDrawn(feature: Feature): void {
  const map = source.value;
  if (!map) return;
  const kind = newKind.value;
  const taken = new Set(map.features.map(keyOf));
  const stem = kind.replaceAll('_', '-');
  let n = map.features.filter((one) => one.properties?.kind === kind).length + 1;
  while (taken.has(`${stem}-${n}`)) n++;
  const id = `${stem}-${n}`;
  const made: Feature = { type: 'Feature', id, properties: { kind }, geometry: feature.geometry };
  change({ ...map, features: [...map.features, made] });
  selectedId.value = id;
  panel.value = 'form';
}
