/** Beside the map: features, faults, history, and what the draft changes. */
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { MapVersion } from '../api/types';
import type { FeatureCollection } from 'geojson';
import { boundsOf } from '../map/ground';
import { fitAll, shownMap } from '../map/view';
import { secondNow } from '../store/clock';
import { zone } from '../store/store';
import { clock, day, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Failure, Waiting } from '../ui/parts';
import { change, changes, faults, keyOf, selectedId, source, tool } from './state';
import { failed } from '../live/doing';

/** Chooses a feature and brings it into view. */
export function showFeature(id: string): void {
  const feature = source.value?.features.find((one, i) => keyOf(one, i) === id);
  tool.value = 'select';
  selectedId.value = id;
  const bounds = feature?.geometry && boundsOf([feature]);
  if (bounds && shownMap.value) fitAll(shownMap.value.map, bounds);
}

const ROWS_MOST = 400;

export function FeatureList() {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const list = (source.value?.features ?? [])
    .map((feature, i) => ({
      id: keyOf(feature, i),
      kind: String(feature.properties?.kind ?? ''),
      name: String(feature.properties?.name ?? ''),
      order: feature.properties?.order as number | undefined,
    }))
    .filter((one) => !wanted || `${one.id} ${words.live.kind(one.kind)} ${one.name}`.toLowerCase().includes(wanted));
  return (
    <div class="panel-body">
      <input
        type="search"
        aria-label={words.edit.search}
        placeholder={words.edit.search}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul class="feature-list">
        {list.slice(0, ROWS_MOST).map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-current={one.id === selectedId.value ? 'true' : undefined}
              onClick={() => showFeature(one.id)}
            >
              <b>{one.name || one.id}</b>{' '}
              <span class="is-second">
                {words.live.kind(one.kind)}
                {one.order === undefined ? '' : ` · no. ${one.order}`}
                {one.name ? ` · ${one.id}` : ''}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function LintList() {
  const list = faults.value;
  if (!list.length) return <p class="empty">{words.edit.nothing}</p>;
  return (
    <ol class="panel-body lint-list">
      {list.map((fault, i) => (
        <li key={i} class={`fault is-${fault.severity}`}>
          <span class="lint-number">{i + 1}</span>
          <div>
            <b>{words.edit.severity[fault.severity]}</b>
            {fault.feature ? ` · ${fault.feature}` : ''}
            {fault.path ? (
              <>
                {' '}
                · <code>{fault.path}</code>
              </>
            ) : (
              ''
            )}
            <p>{fault.message}</p>
            {fault.hint && (
              <p class="is-second">
                {words.edit.mend}: {fault.hint}
              </p>
            )}
          </div>
          {fault.feature && <Button onClick={() => showFeature(fault.feature!)}>{words.edit.show}</Button>}
        </li>
      ))}
    </ol>
  );
}

export function ChangeList() {
  const list = changes.value;
  if (!list.length) return <p class="empty">{words.edit.noChanges}</p>;
  const sign = { added: '+', removed: '−', changed: '~' };
  return (
    <ul class="panel-body feature-list">
      {list.map((one) => (
        <li key={one.id}>
          <button type="button" onClick={() => one.after && showFeature(one.id)}>
            <b>
              {sign[one.what]} {one.id}
            </b>{' '}
            <span class="is-second">
              {words.edit[one.what]}
              {one.what === 'changed'
                ? `: ${[one.isGeometry ? words.edit.form.corners.toLowerCase() : '', ...one.keys.map((key) => `${key} ${JSON.stringify(one.before?.properties?.[key]) ?? '–'} → ${JSON.stringify(one.after?.properties?.[key]) ?? '–'}`)].filter(Boolean).join(', ')}`
                : ''}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function History({ waterway }: { waterway: string }) {
  const loaded = useLoaded(
    (signal) => ask<MapVersion[]>(`/waterways/${encodeURIComponent(waterway)}/versions`, { signal }),
    [waterway],
  );
  if (loaded.fault) return <Failure title={words.errors.title} text={loaded.fault.message} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const make = async (version: string): Promise<void> => {
    try {
      change(
        await ask<FeatureCollection>(
          `/waterways/${encodeURIComponent(waterway)}/versions/${encodeURIComponent(version)}`,
        ),
      );
    } catch (cause) {
      failed(cause);
    }
  };
  const now = secondNow.peek();
  return (
    <div class="panel-body">
      <h2>{words.edit.changes}</h2>
      <ChangeList />
      <h2>{words.edit.tabs.past}</h2>
      <ul class="feature-list">
        {loaded.value.map((one) => (
          <li key={one.version} class="version">
            <b>
              <code>{one.version.slice(0, 8)}</code>
            </b>{' '}
            {day(msOf(one.at), zone.value) === day(now, zone.value) ? '' : `${day(msOf(one.at), zone.value)}, `}
            {clock(msOf(one.at), zone.value)} {zoneLetters(msOf(one.at), zone.value)}
            <span class="is-second">
              {' '}
              · {words.edit.by(one.author)}
              {one.comment ? ` · ${one.comment}` : ''}
            </span>
            {source.value && <Button onClick={() => void make(one.version)}>{words.edit.makeDraft}</Button>}
          </li>
        ))}
      </ul>
    </div>
  );
}
