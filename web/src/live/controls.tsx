/** Controls over the map: zoom, layers, place; the key of speeds; the scale. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { metresPerPixel } from '../map/ground';
import { LIVE_GROUPS } from '../map/livelayers';
import { GROUPS } from '../map/style';
import { fitAll, shownMap } from '../map/view';
import { zones } from '../map/zones';
import { route, setQuery } from '../route';
import { notice, units } from '../store/store';
import { distanceIn, metresOf } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';

export const isLayerListOpen = signal(false);
/** Where this device says it is. */
export const myPlace = signal<{ lat: number; lon: number; error_m: number } | null>(null);

const ALL: Record<string, string[]> = { ...GROUPS, ...LIVE_GROUPS };
/** Layers that are off until asked for. */
const OFF_AT_FIRST = new Set<string>([]);

/** Layers switched off, from the link: `layers=-circ,-tails`. */
export function hiddenLayers(query: URLSearchParams): Set<string> {
  const hidden = new Set(OFF_AT_FIRST);
  for (const one of (query.get('layers') ?? '').split(',')) {
    if (one.startsWith('-')) hidden.add(one.slice(1));
    else if (one) hidden.delete(one);
  }
  return hidden;
}

/** Keeps the layers of the map as the link says. */
export function useLayerSwitches(): void {
  const handle = shownMap.value;
  const text = route.value.query.get('layers') ?? '';
  useEffect(() => {
    if (!handle) return;
    const hidden = hiddenLayers(route.value.query);
    for (const [group, layers] of Object.entries(ALL)) {
      for (const layer of layers) {
        if (handle.map.getLayer(layer))
          handle.map.setLayoutProperty(layer, 'visibility', hidden.has(group) ? 'none' : 'visible');
      }
    }
  }, [handle, text]);
}

export function MapControls({
  isPhone,
  isShort,
  onActions,
}: {
  isPhone?: boolean;
  isShort?: boolean;
  onActions?: () => void;
}) {
  const handle = shownMap.value;
  const l = words.live;
  const whole = (): void => {
    const bounds = zones.value?.bounds;
    if (handle && bounds) fitAll(handle.map, bounds);
  };
  const locate = (): void => {
    navigator.geolocation?.getCurrentPosition(
      ({ coords }) => {
        myPlace.value = { lat: coords.latitude, lon: coords.longitude, error_m: coords.accuracy };
        handle?.map.easeTo({ center: [coords.longitude, coords.latitude], zoom: Math.max(15, handle.map.getZoom()) });
      },
      (fault) => {
        notice.value = { text: fault.message, isError: true };
      },
      { enableHighAccuracy: true, timeout: 10_000 },
    );
  };
  return (
    <div class="map-controls">
      {isPhone && onActions && <Button kind="quiet" icon="flag" aria-label={words.outcomes.more} onClick={onActions} />}
      {!isPhone && <Button kind="quiet" icon="plus" aria-label={l.zoomIn} onClick={() => handle?.map.zoomIn()} />}
      {!isPhone && <Button kind="quiet" icon="minus" aria-label={l.zoomOut} onClick={() => handle?.map.zoomOut()} />}
      <Button
        kind="quiet"
        icon="layers"
        aria-label={l.layers}
        aria-expanded={isLayerListOpen.value}
        onClick={() => (isLayerListOpen.value = !isLayerListOpen.value)}
      />
      {!isPhone && <Button kind="quiet" icon="whole" aria-label={l.whole} onClick={whole} />}
      {!isShort && <Button kind="quiet" icon="locate" aria-label={l.locate} onClick={locate} />}
    </div>
  );
}

export function LayerList() {
  if (!isLayerListOpen.value) return null;
  const hidden = hiddenLayers(route.value.query);
  const flip = (group: string): void => {
    if (hidden.has(group)) hidden.delete(group);
    else hidden.add(group);
    setQuery({ layers: [...hidden].map((one) => `-${one}`).join(',') || null }, true);
  };
  return (
    <section class="layer-list panel-float" aria-label={words.live.layers}>
      <h2>{words.live.layers}</h2>
      {Object.entries(words.live.layerNames).map(([group, name]) => (
        <label class="check" key={group}>
          <input type="checkbox" checked={!hidden.has(group)} onChange={() => flip(group)} /> {name}
        </label>
      ))}
    </section>
  );
}

export function SpeedKey() {
  return (
    <section class="speed-key panel-float" aria-label={words.live.key}>
      <h2>{words.live.key}</h2>
      <ol>
        {words.live.keySteps.map((text, i) => (
          <li key={text}>
            <i class={`ramp is-r${i + 1}`} aria-hidden="true" />
            {text}
          </li>
        ))}
      </ol>
    </section>
  );
}

const STEPS = [1, 2, 5];

/** A scale bar of a round length in the rulebook's unit. */
export function Scale() {
  const handle = shownMap.value;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!handle) return;
    const ask = (): void => redraw((n) => n + 1);
    ask();
    handle.map.on('zoomend', ask);
    handle.map.on('moveend', ask);
    return () => {
      handle.map.off('zoomend', ask);
      handle.map.off('moveend', ask);
    };
  }, [handle]);
  if (!handle) return null;
  const perPixel = metresPerPixel(handle.map.getCenter().lat, handle.map.getZoom());
  const unit = units.value.distance;
  const most = distanceIn(perPixel * 110, unit);
  const power = 10 ** Math.floor(Math.log10(most));
  const step = STEPS.filter((one) => one * power <= most).pop() ?? 1;
  const length = step * power;
  const width = metresOf(length, unit) / perPixel;
  return (
    <div class="scale" style={{ width: `${width}px` }}>
      {length.toLocaleString('en')} {unit}
    </div>
  );
}
