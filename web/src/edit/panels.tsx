/** Beside the map: features, history, and what the draft changes. */
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { MapVersion } from '../api/types';
import type { FeatureCollection } from 'geojson';
import { secondNow } from '../store/clock';
import { zone } from '../store/store';
import { clock, day, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Failure, Waiting } from '../ui/parts';
import { ChangeList } from './changes';
import { openFeature } from './show';
import { change, changes, keyOf, selectedId, source } from './state';
import { failed } from '../live/doing';

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
              onClick={() => openFeature(one.id)}
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
      <h2>
        {words.edit.changes} {changes.value.length > 0 && <span class="is-second">({changes.value.length})</span>}
      </h2>
      <ChangeList />
      <h2>{words.edit.tabs.past}</h2>
      <ul class="version-list">
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
