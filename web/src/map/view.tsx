/** The map on screen: library, base style, palette, zones, and the controls that go with every map. */
import { signal } from '@preact/signals';
import type { GeoJSONSource, LayerSpecification, Map as GlMap } from 'maplibre-gl';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { minuteNow } from '../store/clock';
import { me, notice, units } from '../store/store';
import { words } from '../words/en';
import { mapFonts, mapLibrary } from './library';
import { groundOf, veil, type Ground } from './ownground';
import { palette, type Palette } from './palette';
import { baseLayers, baseStyle, recolour } from './style';
import { Sketch, viewAt, viewOf, type View } from './sketch';
import { addSymbols } from './symbols';
import { labelled, zones, type Zones } from './zones';

/** A part of a map: its sources, layers, and what it does when the palette changes. */
export interface MapPart {
  layers(palette: Palette): LayerSpecification[];
}

export interface MapHandle {
  map: GlMap;
  /** Adds layers that follow the palette. */
  addLayers(part: MapPart): void;
  setData(source: string, data: GeoJSON.FeatureCollection): void;
}

/** The map on screen, if one is. */
export const shownMap = signal<MapHandle | null>(null);

const EMPTY: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
/** What stands in for plain land, asked for once; without it the land is plain, and that is said. */
let ground: Promise<Ground | null> | null = null;
const askGround = (): Promise<Ground | null> =>
  (ground ??= groundOf(me.peek()?.base_map).catch((cause: Error) => {
    ground = null;
    notice.value = { text: words.live.groundFault(cause.message), isError: true };
    return null;
  }));

interface Props {
  label: string;
  /** Another map than that in force: a draft, an old version. */
  zones?: Zones | null;
  /** `lat,lon,zoom` to begin with, else the whole waterway. */
  at?: string | null;
  /** The screen chooses itself what is in view at first. */
  fitsItself?: boolean;
  /** Room for what lies over its top on the phone, px. */
  topRoom?: number;
  /** Boats are on this map. */
  hasBoats?: boolean;
  onReady?: (handle: MapHandle) => (() => void) | void;
  onMove?: (at: string, isByHand: boolean) => void;
  children?: ComponentChildren;
}

export function MapView({ label, zones: given, at, fitsItself, topRoom, hasBoats, onReady, onMove, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<MapHandle | null>(null);
  const parts = useRef<MapPart[]>([]);
  const [isReady, setReady] = useState(false);
  const [isDrawn, setDrawn] = useState(false);
  const [fault, setFault] = useState(false);
  const [credit, setCredit] = useState<string | null>(null);
  const hasFitted = useRef(!!at || !!fitsItself);
  const move = useRef(onMove);
  move.current = onMove;
  const drawn = given === undefined ? zones.value : given;
  const shades = palette.value;
  const minute = minuteNow.value;
  const { speed, distance } = units.value;
  const picture = useMemo(
    () => (drawn ? labelled(drawn, { speed, distance }, minute) : EMPTY),
    [drawn, minute, speed, distance],
  );
  /** What the map has to show, and what it was given. */
  const wanted = useRef({ picture, bounds: drawn?.bounds ?? null });
  wanted.current = { picture, bounds: drawn?.bounds ?? null };
  const shown = useRef<GeoJSON.FeatureCollection>(EMPTY);

  useEffect(() => {
    let isGone = false;
    let leave: (() => void) | void;
    let map: GlMap | undefined;
    void Promise.all([mapLibrary(), askGround(), mapFonts]).then(([{ Map }, own]) => {
      if (isGone || !box.current) return;
      const view = parseAt(at);
      // Zones that are here already are part of the first picture.
      const { picture, bounds } = wanted.current;
      shown.current = picture;
      const fits = bounds && !hasFitted.current;
      try {
        map = new Map({
          container: box.current,
          style: baseStyle(palette.peek(), own, picture),
          ...(fits
            ? { bounds, fitBoundsOptions: fitting(box.current) }
            : { center: view ? [view.lon, view.lat] : [-117.1, 47.65], zoom: view?.zoom ?? 13 }),
          attributionControl: false,
          fadeDuration: 0,
          dragRotate: false,
          pitchWithRotate: false,
          maxZoom: 20,
          minZoom: 8,
          locale: { 'Map.Title': label },
        });
      } catch {
        setFault(true);
        return;
      }
      const gl = map;
      if (fits) hasFitted.current = true;
      const seeZones = (): void => {
        if (shown.current === EMPTY || !gl.isSourceLoaded('zones')) return;
        gl.off('render', seeZones);
        if (!isGone) setDrawn(true);
      };
      gl.on('render', seeZones);
      setCredit(own?.attribution ?? null);
      gl.touchZoomRotate.disableRotation();
      gl.keyboard.disableRotation();
      const made: MapHandle = {
        map: gl,
        addLayers(part) {
          parts.current.push(part);
          for (const layer of part.layers(palette.peek())) if (!gl.getLayer(layer.id)) gl.addLayer(layer);
        },
        setData(source, data) {
          const there = gl.getSource<GeoJSONSource>(source);
          if (there) void there.setData(data);
          else gl.addSource(source, { type: 'geojson', data, tolerance: 0 });
        },
      };
      // With the style, not with its first picture: symbols, boats and findings are then in that picture.
      gl.once('style.load', () => {
        if (isGone) return;
        addSymbols(gl, palette.peek());
        handle.current = made;
        shownMap.value = made;
        leave = onReady?.(made);
        setReady(true);
      });
      gl.on('moveend', (event) => {
        const { lat, lng } = gl.getCenter();
        const isByHand = 'originalEvent' in event && !!event.originalEvent;
        move.current?.(`${lat.toFixed(4)},${lng.toFixed(4)},${gl.getZoom().toFixed(1)}`, isByHand);
      });
    });
    return () => {
      isGone = true;
      leave?.();
      shownMap.value = null;
      handle.current = null;
      parts.current = [];
      map?.remove();
    };
  }, []);

  useEffect(() => {
    const made = handle.current;
    if (!isReady || !made) return;
    addSymbols(made.map, shades);
    recolour(made.map, [...baseLayers(shades), veil(shades)]);
    for (const part of parts.current) recolour(made.map, part.layers(shades));
  }, [shades, isReady]);

  useEffect(() => {
    const made = handle.current;
    if (!isReady || !made) return;
    if (picture !== shown.current) {
      shown.current = picture;
      made.setData('zones', picture);
    }
    if (drawn?.bounds && !hasFitted.current) {
      hasFitted.current = true;
      fitAll(made.map, drawn.bounds, false);
    }
  }, [picture, isReady]);

  /** Where the first picture looks: to the same place as the map will. */
  const viewFor = (sheet: HTMLElement): View | null => {
    const view = parseAt(at);
    if (view) return viewAt(sheet, view.lon, view.lat, view.zoom);
    const { padding, maxZoom } = fitting(sheet);
    return drawn?.bounds && !fitsItself ? viewOf(sheet, drawn.bounds, padding, maxZoom) : null;
  };
  return (
    <div class="map" data-ready={isReady ? '' : undefined} data-drawn={isDrawn ? '' : undefined}>
      <div class="map-canvas" ref={box} data-room={topRoom} />
      {!isDrawn && !fault && drawn && <Sketch zones={drawn} viewFor={viewFor} hasBoats={!!hasBoats} />}
      {fault && <p class="map-fault">{words.errors.map}</p>}
      {credit && <small class="map-credit">{credit}</small>}
      {children}
    </div>
  );
}

/** The room to leave for what lies over the map, and how near to go at most. */
const fitting = (box: HTMLElement) => ({
  padding:
    box.clientWidth < 720
      ? { top: Number(box.dataset.room ?? 24), bottom: 24, left: 16, right: 16 }
      : { top: 70, bottom: 110, left: 24, right: 60 },
  maxZoom: 17,
});

/** Shows all of `bounds`, beside what lies over the map. */
export function fitAll(map: GlMap, bounds: [number, number, number, number], isMoving = true): void {
  map.fitBounds(bounds, {
    ...fitting(map.getContainer()),
    animate: isMoving && !matchMedia('(prefers-reduced-motion: reduce)').matches,
  });
}

export function parseAt(at: string | null | undefined): { lat: number; lon: number; zoom: number } | null {
  const [lat, lon, zoom] = (at ?? '').split(',').map(Number);
  if (
    lat === undefined ||
    lon === undefined ||
    [lat, lon].some(Number.isNaN) ||
    Math.abs(lat) > 85 ||
    Math.abs(lon) > 180
  )
    return null;
  return { lat, lon, zoom: zoom === undefined || Number.isNaN(zoom) ? 15 : zoom };
}
