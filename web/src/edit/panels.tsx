/** Beside the map: its features. */
import { useState } from 'preact/hooks';
import { words } from '../words/en';
import { openFeature } from './show';
import { keyOf, selectedId, source } from './state';

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
