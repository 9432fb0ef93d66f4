/** The properties of a feature by its kind; what the editor does not know stays, and is shown. */
import type { Feature } from 'geojson';
import { useState } from 'preact/hooks';
import { parseSpeed } from '../units';
import { words } from '../words/en';
import { Button, Field, Pick } from '../ui/parts';
import { CORNERS_MOST } from './draw';
import { ACCEPTED } from './faults';
import { KINDS } from './kinds';
import { later } from './later';
import { BuoyOrder, lineOf } from './order';
import { isMine, othersOn } from './others';
import { corners, parseDegrees, withCorner } from './parts';
import { Reshape } from './reshape';
import { changeFeature, faults, removeFeature, selected, selectedId } from './state';

const SeasonForm = later(() => import('./season').then((part) => part.SeasonForm));
const HoursForm = later(() => import('./season').then((part) => part.HoursForm));

const LIT = new Set(['dock', 'swimmer', 'float', 'ski_dock', 'mooring_buoy', 'course']);
const OF_KIND: Record<string, string[]> = {
  safety_buoy: ['line', 'order'],
  speed_zone: ['speed_limit'],
  permit_area: ['permit', 'vessels'],
  course: ['permit'],
};
const ALWAYS = ['name', 'note'];
/** Where it comes from, and when to look at it again. */
const ORIGIN = ['source', 'survey_accuracy', 'review_by'];
const KNOWN = new Set([
  'kind',
  'id',
  'lit',
  'hours',
  'valid_from',
  'valid_until',
  ACCEPTED,
  ...ALWAYS,
  ...ORIGIN,
  ...Object.values(OF_KIND).flat(),
]);

function faultOf(key: string, text: string): string | null {
  if (!text) return null;
  return key === 'speed_limit' && parseSpeed(text) === null ? words.edit.bareLimit : null;
}

/** The value as the file has it: numbers for orders, a list for boats. */
function valueOf(key: string, text: string): unknown {
  if (text === '') return undefined;
  if (key === 'order') return Number.isNaN(Number(text)) ? text : Number(text);
  return key === 'vessels'
    ? text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)
    : text;
}

export function setProperty(id: string, key: string, value: unknown): void {
  changeFeature(id, (feature) => {
    const properties = { ...feature.properties };
    if (value === undefined) delete properties[key];
    else properties[key] = value;
    return { ...feature, properties };
  });
}

export function FeatureForm() {
  const feature = selected.value;
  const id = selectedId.value;
  if (!feature || id === null) return <p class="empty">{words.edit.noneChosen}</p>;
  return <FormOf key={id} feature={feature} id={id} />;
}

function FormOf({ feature, id }: { feature: Feature; id: string }) {
  const f = words.edit.form;
  const p = feature.properties ?? {};
  const kind = String(p.kind ?? '');
  const other = Object.entries(p).filter(([key]) => !KNOWN.has(key));
  const mine = faults.value.map((fault, i) => ({ fault, n: i + 1 })).filter((one) => one.fault.feature === id);
  const lit = p.lit === true ? 'yes' : p.lit === false ? 'no' : '';
  return (
    <form class="feature-form" onSubmit={(event) => event.preventDefault()}>
      <p class="is-second">
        <code>{id}</code>
      </p>
      {othersOn(id)
        .filter((one) => !isMine(one))
        .map((one) => (
          <p key={one.id} class="other-editor" role="status">
            {words.edit.isEditing(one.author, [id], one.name)}
          </p>
        ))}
      {mine.map(({ fault, n }) => (
        <p key={n} class={`fault is-${fault.severity}`}>
          <b>[{n}]</b> {fault.message}
          {fault.hint ? `. ${fault.hint}` : ''}
        </p>
      ))}
      <Pick
        label={f.kind}
        value={kind}
        options={[...new Set([kind, ...KINDS])].map((one) => [one, words.live.kind(one)] as const)}
        onChange={(value) => setProperty(id, 'kind', value)}
      />
      {[...(OF_KIND[kind] ?? []), ...ALWAYS].map((key) => (
        <TextProperty key={key} id={id} name={key} value={p[key]} />
      ))}
      {kind === 'safety_buoy' && <BuoyOrder line={lineOf(feature) ?? ''} />}
      {kind === 'speed_zone' && <HoursForm feature={feature} id={id} />}
      {kind !== 'waterway' && <SeasonForm feature={feature} id={id} />}
      {LIT.has(kind) && (
        <Pick
          label={f.lit}
          value={lit}
          options={[
            ['', f.unknown],
            ['yes', f.yes],
            ['no', f.no],
          ]}
          onChange={(value) => setProperty(id, 'lit', value === '' ? undefined : value === 'yes')}
        />
      )}
      <details open={ORIGIN.some((key) => p[key] !== undefined)}>
        <summary>{f.origin}</summary>
        <div class="stack">
          {ORIGIN.map((key) => (
            <TextProperty key={key} id={id} name={key} value={p[key]} />
          ))}
        </div>
      </details>
      {other.length > 0 && (
        <details>
          <summary>
            {f.other} ({other.length})
          </summary>
          <table class="table">
            <tbody>
              {other.map(([key, value]) => (
                <tr key={key}>
                  <th scope="row">{key}</th>
                  <td>{typeof value === 'string' ? value : JSON.stringify(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      <Reshape feature={feature} id={id} />
      <Corners feature={feature} id={id} />
      <div class="rows">
        <Button onClick={() => removeFeature(id)}>{words.edit.remove}</Button>
      </div>
    </form>
  );
}

function TextProperty({ id, name, value }: { id: string; name: string; value: unknown }) {
  const text = value === undefined || value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? text;
  const fault = faultOf(name, shown);
  const store = (): void => {
    if (typed !== null && typed !== text && !fault) setProperty(id, name, valueOf(name, typed.trim()));
    if (!fault) setTyped(null);
  };
  const all = {
    label: words.edit.form[name as 'name'] ?? name,
    value: shown,
    fault,
    onBlur: store,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') store();
    },
  };
  const type_ = (event: { currentTarget: HTMLInputElement }): unknown => setTyped(event.currentTarget.value);
  return name === 'review_by' ? (
    <Field {...all} type="date" onInput={type_} />
  ) : (
    <Field {...all} inputMode={name === 'order' ? 'numeric' : undefined} onInput={type_} />
  );
}

const ROWS_MOST = 200;

function Corners({ feature, id }: { feature: Feature; id: string }) {
  if (!feature.geometry) return null;
  const list = corners(feature.geometry);
  const f = words.edit.form;
  const move = (piece: number, index: number, to: number[] | null): void => {
    const geometry = withCorner(feature.geometry, piece, index, to);
    if (geometry) changeFeature(id, (one) => ({ ...one, geometry }));
  };
  return (
    <details open={list.length <= 12}>
      <summary>
        {f.corners} ({list.length})
      </summary>
      {list.length > CORNERS_MOST && <p class="is-second">{words.edit.tooMany(list.length)}</p>}
      <table class="table corner-table">
        <thead>
          <tr>
            <th>{f.lat}</th>
            <th>{f.lon}</th>
            <th>
              <span class="unseen">{words.edit.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, ROWS_MOST).map(({ piece, index, at }) => (
            <tr key={`${piece}.${index}`}>
              <td>
                <Degrees label={f.lat} value={at[1]!} most={90} onChange={(lat) => move(piece, index, [at[0]!, lat])} />
              </td>
              <td>
                <Degrees
                  label={f.lon}
                  value={at[0]!}
                  most={180}
                  onChange={(lon) => move(piece, index, [lon, at[1]!])}
                />
              </td>
              <td>
                {list.length > 1 && (
                  <Button
                    kind="quiet"
                    icon="close"
                    aria-label={words.edit.remove}
                    onClick={() => move(piece, index, null)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Degrees({
  label,
  value,
  most,
  onChange,
}: {
  label: string;
  value: number;
  most: number;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null ? value : parseDegrees(typed);
  const isBad = parsed === null || Math.abs(parsed) > most;
  const store = (): void => {
    if (typed !== null && !isBad) onChange(Number(parsed.toFixed(7)));
    if (!isBad) setTyped(null);
  };
  return (
    <input
      aria-label={label}
      title={isBad ? words.edit.badPlace : words.edit.place}
      aria-invalid={isBad || undefined}
      value={typed ?? value.toFixed(6)}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onBlur={store}
      onKeyDown={(event) => {
        if (event.key === 'Enter') store();
      }}
    />
  );
}
