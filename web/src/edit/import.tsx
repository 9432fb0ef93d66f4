/** Takes a file of another program in, step by step; nothing is written before the last. */
import type { ComponentChildren } from 'preact';
import type { Feature, FeatureCollection, Point, Polygon, Position } from 'geojson';
import { useMemo, useState } from 'preact/hooks';
import { ask, query } from '../api/client';
import { boundsOf } from '../map/ground';
import { zones } from '../map/zones';
import { notice, waterway } from '../store/store';
import { words } from '../words/en';
import { Button, Choice, Dialog, Field, Pick } from '../ui/parts';
import { Drawing } from './drawing';
import { faultsOf } from './faults';
import { KINDS } from './kinds';
import { changesBetween } from './parts';
import { change, derived, draft, look, source } from './state';
import { farFrom, idsOf, isBare, kindsOf, middleInWords, taken, within, type Doubles, type ReadFile } from './taking';

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const e = words.edit.taking;
  const [file, setFile] = useState<File | null>(null);
  const [read, setRead] = useState<ReadFile | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const send = async (chosen: File | null, kinds = ''): Promise<void> => {
    if (!chosen) return;
    setFault(null);
    setFile(chosen);
    try {
      setRead(
        await ask<ReadFile>(`/import${query({ waterway: waterway.value?.id, name: chosen.name, kinds })}`, {
          method: 'POST',
          body: chosen,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      );
    } catch (cause) {
      setRead(null);
      setFault((cause as Error).message);
    }
  };
  return (
    <Dialog title={words.edit.import} onClose={onClose}>
      <p>{words.edit.importHow}</p>
      <Field
        label={words.review.chooseFile}
        type="file"
        accept=".geojson,.json,.kml,.kmz,.gpx,.csv,.zip"
        onChange={(event) => void send(event.currentTarget.files?.[0] ?? null)}
      />
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
      {read && !read.features.features.length && !read.unkinded && <p class="is-warning">{e.nothing}</p>}
      {read && (read.features.features.length > 0 || read.unkinded > 0) && (
        <Steps
          key={`${file?.name} ${read.features.features.length}`}
          read={read}
          onKinds={(kinds) => void send(file, kinds)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function Step({ n, title, children }: { n: number; title: string; children: ComponentChildren }) {
  return (
    <section class="import-step">
      <h3>
        <span class="step-number">{n}</span> {title}
      </h3>
      {children}
    </section>
  );
}

/** The whole Earth, for what lies nowhere near the water. */
const EARTH: Polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
      [-180, -90],
    ],
  ],
};

/** What the file says beside the water; or, where both do not fit into one picture, where on the Earth the two are. */
function OrderPicture({ label, map, water }: { label: string; map: FeatureCollection; water: Feature | null }) {
  const e = words.edit.taking;
  const far = farFrom(map, water);
  const point = (coordinates: Position): Point => ({ type: 'Point', coordinates });
  const home = water && boundsOf([water]);
  if (!far || !home)
    return (
      <Drawing
        label={label}
        height={150}
        layers={[
          { look: 'is-water', geometries: water ? [water.geometry] : [] },
          { look: 'is-given', geometries: map.features.flatMap((one) => (one.geometry ? [one.geometry] : [])) },
        ]}
      />
    );
  return (
    <>
      <Drawing
        label={label}
        height={150}
        layers={[
          { look: 'is-earth', geometries: [EARTH] },
          { look: 'is-shore', geometries: [point([home[0], home[1]])] },
          { look: 'is-given', geometries: [point(far.at)] },
        ]}
      />
      <span class="earth-key">
        <i class="is-home" aria-hidden="true" /> {waterway.value?.name} · <i class="is-given" aria-hidden="true" />{' '}
        {far.km === null ? e.offEarth : e.farAway(far.km)}
      </span>
    </>
  );
}

function Steps({ read, onKinds, onClose }: { read: ReadFile; onKinds: (kinds: string) => void; onClose: () => void }) {
  const e = words.edit.taking;
  const water = useMemo<Feature | null>(
    () => (derived.value ?? zones.value)?.features.find((one) => one.properties?.derived === 'water') ?? null,
    [],
  );
  const [plain, other] = useMemo(() => [within(read.features, water), within(read.swapped, water)], [read]);
  // The better order is chosen, and said.
  const [isSwapped, setSwapped] = useState(other.inside > plain.inside);
  const [unit, setUnit] = useState('');
  const [doubles, setDoubles] = useState<Doubles>('replace');
  const own = source.value!;
  const chosen: FeatureCollection = isSwapped ? read.swapped : read.features;
  const bare = chosen.features.filter(isBare).length;
  const ids = useMemo(() => idsOf(chosen, own), [chosen, own]);
  const next = useMemo(() => taken(own, chosen, { unit, doubles }), [own, chosen, unit, doubles]);
  const diff = useMemo(() => changesBetween(own, next), [own, next]);
  // What is missing beside the features (the water itself) is in the draft.
  const faults = isSwapped ? [] : faultsOf(read.faults).filter((one) => one.feature);
  const place = waterway.value?.name ?? '';
  const take = (): void => {
    change(next);
    look.value = 'both';
    notice.value = { text: e.taken(diff.length, draft.value?.name ?? '') };
    onClose();
  };
  return (
    <>
      <Step n={1} title={e.system}>
        <p>{e.systemRead(read.format, chosen.features.length)}</p>
        {read.left.length > 0 && (
          <details>
            <summary>{e.left(read.left.length)}</summary>
            <ul class="left-list">
              {read.left.slice(0, 20).map((one, i) => (
                <li key={i}>{one}</li>
              ))}
            </ul>
          </details>
        )}
      </Step>
      {chosen.features.length > 0 && (
        <Step n={2} title={e.order}>
          <p>{e.orderSaid(plain, other, place, isSwapped)}</p>
          <div class="orders" role="radiogroup" aria-label={e.order}>
            {(
              [
                [false, e.asGiven, read.features, plain],
                [true, e.turned, read.swapped, other],
              ] as const
            ).map(([turned, name, map, count]) => (
              <label class={isSwapped === turned ? 'order is-chosen' : 'order'} key={name}>
                <span>
                  <input type="radio" name="order" checked={isSwapped === turned} onChange={() => setSwapped(turned)} />{' '}
                  <b>{name}</b>
                </span>
                <OrderPicture label={`${name}: ${e.inside(count.inside, count.all)}`} map={map} water={water} />
                <span>{e.inside(count.inside, count.all)}</span>
                <span class="is-second">{e.around(middleInWords(map))}</span>
              </label>
            ))}
          </div>
        </Step>
      )}
      <Step n={3} title={e.units}>
        {bare > 0 ? (
          <>
            <p>{e.bare(bare)}</p>
            <Choice
              label={words.edit.unitFor}
              options={[
                ['mph', 'mph'],
                ['km/h', 'km/h'],
                ['kn', 'kn'],
              ]}
              value={unit}
              onChange={setUnit}
            />
          </>
        ) : (
          <p>{e.noBare}</p>
        )}
      </Step>
      <Step n={4} title={e.kinds}>
        {chosen.features.length > 0 && (
          <p>
            {kindsOf(chosen)
              .map(([kind, n]) => `${words.live.kind(kind)} ${n}`)
              .join(' · ')}
          </p>
        )}
        {read.unkinded > 0 && <KindsOfTheRest read={read} onKinds={onKinds} />}
      </Step>
      <Step n={5} title={e.ids}>
        <p>{e.idsSaid(ids.missing, ids.twice, ids.there.length)}</p>
        {ids.there.length > 0 && (
          <Choice<Doubles>
            label={e.doubles}
            options={[
              ['replace', e.replace],
              ['renumber', e.renumber],
              ['skip', e.skip],
            ]}
            value={doubles}
            onChange={setDoubles}
          />
        )}
      </Step>
      <Step n={6} title={e.preview}>
        <p>
          {e.precision} <b>{e.diff(diff)}</b>
        </p>
        {faults.slice(0, 8).map((one, i) => (
          <p key={i} class={`fault is-${one.severity}`}>
            {one.feature ? <b>{one.feature}: </b> : null}
            {one.message}
          </p>
        ))}
        {faults.length > 8 && <p class="is-second">{e.moreFaults(faults.length - 8)}</p>}
      </Step>
      <div class="rows">
        <Button kind="primary" disabled={(bare > 0 && !unit) || diff.length === 0} onClick={take}>
          {words.edit.take}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
        {bare > 0 && !unit && <span class="is-warning">{e.unitFirst}</span>}
      </div>
    </>
  );
}

/** Features without a kind: one of their properties tells them apart, and each of its values gets a kind. */
function KindsOfTheRest({ read, onKinds }: { read: ReadFile; onKinds: (kinds: string) => void }) {
  const e = words.edit.taking;
  const [key, setKey] = useState(read.unkinded_by[0]?.key ?? '');
  const [kinds, setKinds] = useState<Record<string, string>>({});
  const values = Object.entries(read.unkinded_by.find((one) => one.key === key)?.values ?? {});
  const options = [['', '–'] as const, ...KINDS.map((one) => [one, words.live.kind(one)] as const)];
  const lines = Object.entries(kinds)
    .filter(([, kind]) => kind)
    .map(([value, kind]) => (value ? `${key}=${value}:${kind}` : kind));
  return (
    <div class="unkinded">
      <p>{e.unkinded(read.unkinded)}</p>
      {read.unkinded_by.length > 0 && (
        <Pick
          label={e.apart}
          value={key}
          options={read.unkinded_by.map((one) => [one.key, one.key] as const)}
          onChange={(value) => {
            setKey(value);
            setKinds({});
          }}
        />
      )}
      {values.map(([value, n]) => (
        <Pick
          key={value}
          label={`${value} (${n})`}
          value={kinds[value] ?? ''}
          options={options}
          onChange={(kind) => setKinds({ ...kinds, [value]: kind })}
        />
      ))}
      <Pick
        label={e.allOthers}
        value={kinds[''] ?? ''}
        options={options}
        onChange={(kind) => setKinds({ ...kinds, '': kind })}
      />
      <Button disabled={!lines.length} onClick={() => onKinds(lines.join('\n'))}>
        {e.readAgain}
      </Button>
    </div>
  );
}
