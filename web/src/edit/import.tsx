/** Takes a file of another program in, step by step; nothing is written before the last. */
import type { Feature, FeatureCollection, Position } from 'geojson';
import { useState } from 'preact/hooks';
import { ask, query } from '../api/client';
import { isWithin } from '../map/ground';
import { MapView } from '../map/view';
import { prepare, zones } from '../map/zones';
import { waterway } from '../store/store';
import { words } from '../words/en';
import { Button, Choice, Dialog, Field } from '../ui/parts';
import { corners } from './parts';
import { byId } from './parts';
import { faultsOf } from './faults';
import { change, source } from './state';

interface Read {
  format?: string;
  features?: FeatureCollection;
  swapped?: FeatureCollection | null;
  faults?: unknown;
}

const BARE = /^\s*\d+(\.\d+)?\s*$/;

const swap = (map: FeatureCollection): FeatureCollection =>
  JSON.parse(JSON.stringify(map), (key, value: unknown) =>
    key === 'coordinates' ? swapped(value) : value,
  ) as FeatureCollection;

function swapped(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return typeof value[0] === 'number' ? [value[1], value[0], ...(value.slice(2) as number[])] : value.map(swapped);
}

/** How many of the positions lie within the water. */
function within(map: FeatureCollection): { inside: number; all: number } {
  const water = zones.value?.features.find((feature) => feature.properties?.derived === 'water');
  let [inside, all] = [0, 0];
  for (const feature of map.features) {
    for (const { at } of feature.geometry ? corners(feature.geometry) : []) {
      all++;
      if (water && near(water, at)) inside++;
    }
  }
  return { inside, all };
}

/** Within the water or a little beside it: docks stand on the shore. */
const near = (water: Feature, [x, y]: Position): boolean =>
  [
    [0, 0],
    [0.0007, 0],
    [-0.0007, 0],
    [0, 0.0005],
    [0, -0.0005],
  ].some(([dx, dy]) => isWithin(water, [x! + dx!, y! + dy!]));

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const e = words.edit;
  const [read, setRead] = useState<Read | null>(null);
  const [isSwapped, setSwapped] = useState(false);
  const [unit, setUnit] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const send = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setFault(null);
    try {
      setRead(
        await ask<Read>(`/import${query({ waterway: waterway.value?.id, name: file.name })}`, {
          method: 'POST',
          body: file,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      );
    } catch (cause) {
      setFault((cause as Error).message);
    }
  };
  const given = read?.features ?? null;
  const turned = given ? (read?.swapped ?? swap(given)) : null;
  const chosen = isSwapped ? turned : given;
  const bare = given?.features.some((one) => BARE.test(String(one.properties?.speed_limit ?? ''))) ?? false;
  const take = (): void => {
    const map = source.value;
    if (!map || !chosen) return;
    const features = chosen.features.map((one) =>
      bare && unit && BARE.test(String(one.properties?.speed_limit ?? ''))
        ? { ...one, properties: { ...one.properties, speed_limit: `${String(one.properties!.speed_limit)} ${unit}` } }
        : one,
    );
    const fresh = byId({ ...chosen, features });
    const kept = map.features.filter((one, i) => !fresh.has(String(one.id ?? one.properties?.id ?? `#${i}`)));
    change({ ...map, features: [...kept, ...features] });
    onClose();
  };
  const kinds = new Map<string, number>();
  for (const one of given?.features ?? [])
    kinds.set(String(one.properties?.kind ?? '–'), (kinds.get(String(one.properties?.kind ?? '–')) ?? 0) + 1);
  const doubles =
    given && source.value ? [...byId(given).keys()].filter((id) => byId(source.value!).has(id)).length : 0;
  const plain = given ? within(given) : null;
  const other = turned ? within(turned) : null;
  const faults = read?.faults ? faultsOf(read.faults) : [];
  return (
    <Dialog title={e.import} onClose={onClose}>
      <p>{e.importHow}</p>
      <Field
        label={words.review.chooseFile}
        type="file"
        onChange={(event) => void send(event.currentTarget.files?.[0])}
      />
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
      {given && plain && other && (
        <>
          <p>
            {e.read(given.features.length, read?.format ?? '')}:{' '}
            {[...kinds].map(([kind, n]) => `${words.live.kind(kind)} ${n}`).join(', ')}
          </p>
          <p>
            {e.within(plain.inside, plain.all)}; {e.withinSwapped(other.inside, other.all)}.
          </p>
          <label class="check">
            <input type="checkbox" checked={isSwapped} onChange={(event) => setSwapped(event.currentTarget.checked)} />{' '}
            {e.swap}
          </label>
          <div class="import-map">
            <MapView
              key={String(isSwapped)}
              label={e.import}
              zones={prepare('import', null, {
                type: 'FeatureCollection',
                features: [
                  ...(zones.value?.features ?? []).filter((one) => one.properties?.derived === 'water'),
                  ...chosen!.features,
                ],
              })}
            />
          </div>
          {doubles > 0 && <p>{e.doubles(doubles)}</p>}
          {bare && (
            <Choice
              label={e.unitFor}
              options={[
                ['mph', 'mph'],
                ['km/h', 'km/h'],
                ['kn', 'kn'],
              ]}
              value={unit}
              onChange={setUnit}
            />
          )}
          {faults.map((one, i) => (
            <p key={i} class={`fault is-${one.severity}`}>
              {one.message}
            </p>
          ))}
          <div class="rows">
            <Button kind="primary" disabled={bare && !unit} onClick={take}>
              {e.take}
            </Button>
            <Button onClick={onClose}>{words.cancel}</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
