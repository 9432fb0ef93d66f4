/** A feature as a whole: moved, turned, cut in two; by buttons and typed values, so that touch and keys can do it too. */
import type { Feature, Position } from 'geojson';
import { useState } from 'preact/hooks';
import { notice, units } from '../store/store';
import { metresOf } from '../units';
import { words } from '../words/en';
import { Button, Field } from '../ui/parts';
import { moved, split, turned } from './shape';
import { change, changeFeature, keyOf, selectedId, source, tool } from './state';

/** An id that no feature has yet: `dock-3`, `dock-3-2`. */
export function freeId(wanted: string): string {
  const taken = new Set((source.peek()?.features ?? []).map(keyOf));
  if (!taken.has(wanted)) return wanted;
  let n = 2;
  while (taken.has(`${wanted}-${n}`)) n++;
  return `${wanted}-${n}`;
}

/** Cuts the chosen feature along a line; both parts keep its properties, the second gets an id. Whether it was cut. */
export function takeCut(cut: Position[]): boolean {
  const map = source.value;
  const id = selectedId.value;
  const place = map?.features.findIndex((one, i) => keyOf(one, i) === id) ?? -1;
  const feature = map?.features[place];
  if (!map || !feature || id === null) return false;
  const made = split(feature.geometry, cut);
  if ('why' in made) {
    notice.value = { text: words.edit.unsplit[made.why], isError: true };
    return false;
  }
  const fresh = freeId(`${id}-2`);
  const properties = { ...feature.properties };
  // Where the id stands among the properties, it is there that the other is told apart.
  if (feature.id === undefined && properties.id !== undefined) properties.id = fresh;
  const second: Feature = {
    ...feature,
    ...(feature.id === undefined && feature.properties?.id !== undefined ? {} : { id: fresh }),
    properties,
    geometry: made.parts[1],
  };
  const first: Feature = { ...feature, geometry: made.parts[0] };
  change({ ...map, features: [...map.features.slice(0, place), first, second, ...map.features.slice(place + 1)] });
  notice.value = { text: words.edit.splitDone(id, fresh) };
  return true;
}

const ARROWS = [
  ['north', 0, 1, 'up'],
  ['west', -1, 0, 'left'],
  ['east', 1, 0, 'right'],
  ['south', 0, -1, 'down'],
] as const;

export function Reshape({ feature, id }: { feature: Feature; id: string }) {
  const r = words.edit.reshape;
  const unit = units.value.distance;
  const [step, setStep] = useState('5');
  const [angle, setAngle] = useState('5');
  if (!feature.geometry) return null;
  const isPoint = feature.geometry.type === 'Point';
  const by = numberOf(step);
  const degrees = numberOf(angle);
  const shift = (east: number, north: number): void => {
    if (by === null) return;
    const far = metresOf(by, unit);
    changeFeature(id, (one) => ({ ...one, geometry: moved(one.geometry, east * far, north * far) }));
  };
  const turn = (sign: 1 | -1): void => {
    if (degrees !== null) changeFeature(id, (one) => ({ ...one, geometry: turned(one.geometry, sign * degrees) }));
  };
  return (
    <details class="reshape">
      <summary>{isPoint ? r.move : r.title}</summary>
      <div class="reshape-row">
        <div class="reshape-pad" role="group" aria-label={r.move}>
          {ARROWS.map(([name, east, north, icon]) => (
            <Button
              key={name}
              class={`at-${name}`}
              icon={icon}
              aria-label={r.toward[name]}
              disabled={by === null}
              onClick={() => shift(east, north)}
            />
          ))}
        </div>
        <Field
          label={r.by(unit)}
          inputMode="decimal"
          value={step}
          fault={by === null ? r.number : null}
          onInput={(event) => setStep(event.currentTarget.value)}
        />
      </div>
      {!isPoint && (
        <div class="reshape-row">
          <div class="rows" role="group" aria-label={r.turn}>
            <Button aria-label={r.left} disabled={degrees === null} onClick={() => turn(-1)}>
              ⟲
            </Button>
            <Button aria-label={r.right} disabled={degrees === null} onClick={() => turn(1)}>
              ⟳
            </Button>
          </div>
          <Field
            label={r.degrees}
            inputMode="decimal"
            value={angle}
            fault={degrees === null ? r.number : null}
            onInput={(event) => setAngle(event.currentTarget.value)}
          />
        </div>
      )}
      {!isPoint && (
        <div class="rows">
          <Button onClick={() => (tool.value = 'split')}>{r.split}</Button>
        </div>
      )}
    </details>
  );
}

function numberOf(text: string): number | null {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(value) && value > 0 ? value : null;
}
