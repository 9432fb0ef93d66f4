/** The order of a line's buoys: rows to drag or step, or clicks on the map one after the other. */
import type { Feature, FeatureCollection, Position } from 'geojson';
import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { bearing, distance } from '../map/ground';
import { units } from '../store/store';
import { distanceText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { change, keyOf, save, selectedId, source, tool } from './state';

export interface Buoy {
  id: string;
  order: number | null;
  at: Position;
}

/** The line whose buoys are being ordered, and those that were clicked so far. */
export const ordering = signal<{ line: string; clicked: string[] } | null>(null);

export const lineOf = (feature: Feature | null): string | null =>
  feature?.properties?.kind === 'safety_buoy' && feature.geometry?.type === 'Point'
    ? String(feature.properties.line ?? '')
    : null;

/** The buoys of a line as they are joined: by their numbers, those without at the end. */
export function buoysOf(map: FeatureCollection | null, line: string): Buoy[] {
  const found = (map?.features ?? []).flatMap((feature, i): Buoy[] =>
    lineOf(feature) === line && feature.geometry.type === 'Point'
      ? [
          {
            id: keyOf(feature, i),
            order: typeof feature.properties?.order === 'number' ? feature.properties.order : null,
            at: feature.geometry.coordinates,
          },
        ]
      : [],
  );
  return found.sort((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity));
}

/** Numbers the buoys from 1 in this order; what is drawn from them follows at once. */
export function number(ids: readonly string[]): void {
  const map = source.value;
  if (!map) return;
  const features = map.features.map((feature, i) => {
    const place = ids.indexOf(keyOf(feature, i));
    return place < 0 || feature.properties?.order === place + 1
      ? feature
      : { ...feature, properties: { ...feature.properties, order: place + 1 } };
  });
  if (features.every((feature, i) => feature === map.features[i])) return;
  change({ ...map, features });
  void save();
}

/** Begins the clicks: 1, 2, … */
export function beginOrdering(line: string): void {
  ordering.value = { line, clicked: [] };
  tool.value = 'reorder';
}

export function endOrdering(): void {
  ordering.value = null;
  tool.value = 'select';
}

/** A buoy was clicked: it is the next one; the others follow in the order they had. */
export function clickBuoy(id: string | null): void {
  const now = ordering.value;
  if (!now || id === null) return;
  const all = buoysOf(source.value, now.line).map((one) => one.id);
  if (!all.includes(id) || now.clicked.includes(id)) return;
  const clicked = [...now.clicked, id];
  number([...clicked, ...all.filter((one) => !clicked.includes(one))]);
  if (clicked.length === all.length) endOrdering();
  else ordering.value = { ...now, clicked };
}

export function BuoyOrder({ line }: { line: string }) {
  const o = words.edit.order;
  const buoys = buoysOf(source.value, line);
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const ids = buoys.map((one) => one.id);
  const moved = (from: number, to: number): string[] => {
    const next = ids.filter((_, i) => i !== from);
    next.splice(to, 0, ids[from]!);
    return next;
  };
  const begin = (from: number) => (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    let to = from;
    const move = (at: PointerEvent): void => {
      const rows = [...(list.current?.children ?? [])];
      const over = rows.findIndex((row) => at.clientY < row.getBoundingClientRect().bottom);
      to = over < 0 ? rows.length - 1 : over;
      setDrag({ from, to });
    };
    const stop = (): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', stop);
      removeEventListener('pointercancel', stop);
      setDrag(null);
      if (to !== from) number(moved(from, to));
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', stop);
    addEventListener('pointercancel', stop);
  };
  const shown = drag ? moved(drag.from, drag.to).map((id) => buoys.find((one) => one.id === id)!) : buoys;
  const unit = units.value.distance;
  const now = ordering.value;
  return (
    <fieldset class="when buoy-order">
      <legend>{o.title(line)}</legend>
      <ol ref={list}>
        {shown.map((one, i) => {
          const next = shown[i + 1];
          return (
            <li key={one.id} class={drag?.to === i ? 'is-dragged' : undefined}>
              <span class="row-grip" aria-hidden="true" onPointerDown={begin(i)}>
                ⠿
              </span>
              <b class="row-number">{i + 1}</b>
              <button
                type="button"
                class="order-name"
                aria-current={one.id === selectedId.value ? 'true' : undefined}
                onClick={() => (selectedId.value = one.id)}
              >
                {one.id}
                {next && (
                  <small class="is-second">
                    {o.next(distanceText(distance(one.at, next.at), unit), Math.round(bearing(one.at, next.at)))}
                  </small>
                )}
              </button>
              <Button
                kind="quiet"
                icon="up"
                aria-label={o.earlier(one.id)}
                disabled={i === 0}
                onClick={() => number(moved(i, i - 1))}
              />
              <Button
                kind="quiet"
                icon="down"
                aria-label={o.later(one.id)}
                disabled={i === shown.length - 1}
                onClick={() => number(moved(i, i + 1))}
              />
            </li>
          );
        })}
      </ol>
      <div class="rows">
        {now?.line === line ? (
          <Button kind="primary" onClick={endOrdering}>
            {o.done}
          </Button>
        ) : (
          <Button disabled={buoys.length < 2} onClick={() => beginOrdering(line)}>
            {o.click(buoys.length)}
          </Button>
        )}
        <Button disabled={buoys.length < 2} onClick={() => number([...ids].reverse())}>
          {o.reverse}
        </Button>
      </div>
    </fieldset>
  );
}
