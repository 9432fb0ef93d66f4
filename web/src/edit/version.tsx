/** One version of the map as it was published, to be looked at: its features, who published it, and what differs from now. */
import type { Feature, FeatureCollection } from 'geojson';
import { useMemo } from 'preact/hooks';
import { ask } from '../api/client';
import type { MapVersion } from '../api/types';
import { LayerList, MapControls, Scale, useLayerSwitches } from '../live/controls';
import { MapView } from '../map/view';
import { prepare, zones } from '../map/zones';
import { pathOf, route, setQuery } from '../route';
import { waterway } from '../store/store';
import { useLoaded } from '../ui/load';
import { Button, Failure, Waiting } from '../ui/parts';
import { isPhone } from '../ui/size';
import { words } from '../words/en';
import { ChangeBody } from './changes';
import { standing, when } from './history';
import type { Change } from './parts';
import { fitTo } from './show';

/** A feature that differs, as the daemon tells it. */
interface Differing {
  id: string;
  what: Change['what'];
  geometry: boolean;
  properties: string[];
  before: Feature | null;
  after: Feature | null;
}

export function VersionScreen({ id, version }: { id: string; version: string }) {
  const e = words.edit.version;
  const base = `/waterways/${encodeURIComponent(id)}`;
  const loaded = useLoaded(
    (signal) => ask<FeatureCollection>(`${base}/versions/${encodeURIComponent(version)}`, { signal }),
    [id, version],
  );
  useLayerSwitches();
  const { fault, value } = loaded;
  const inForce = waterway.value?.law.map_version ?? null;
  const isNow = version === inForce;
  // The map in force has what the daemon derives of it; of others there is what was drawn.
  const past = useMemo(() => value && prepare(id, version, value), [value]);
  const shown = isNow ? zones.value : past;
  if (fault && !value) return <Failure title={e.none(version.slice(0, 8))} fault={fault} onRetry={loaded.again} />;
  return (
    <div class="edit">
      <h1 class="unseen">{e.title(version.slice(0, 8))}</h1>
      <div class="strip-note" role="status">
        <span>{isNow ? e.looking(version.slice(0, 8)) : e.lookingBack(version.slice(0, 8))}</span>{' '}
        <a href={pathOf('map', id)}>{e.editor}</a>
      </div>
      <div class="edit-main">
        <MapView
          label={words.live.map}
          zones={shown}
          at={route.value.query.get('at')}
          onMove={(at) => setQuery({ at })}
        >
          {!value && <p class="map-note">{words.loading}</p>}
          <div class="map-right">
            <MapControls isPhone={isPhone.value} />
            <LayerList />
          </div>
          <div class="map-bottom">
            <div class="map-corner">
              <Scale />
            </div>
          </div>
        </MapView>
        <aside class="panel edit-panel" aria-label={words.edit.tabs.past}>
          <div class="edit-scroll">
            <div class="panel-body">
              <About base={base} version={version} />
              {!isNow && <p class="is-second">{e.drawnOnly}</p>}
              {!isNow && value && inForce && <Since base={base} version={version} inForce={inForce} />}
            </div>
          </div>
        </aside>
      </div>
    </div>
  );
}

/** Who published it, when, and how it stands. */
function About({ base, version }: { base: string; version: string }) {
  const loaded = useLoaded((signal) => ask<MapVersion[]>(`${base}/versions`, { signal }), [base]);
  const e = words.edit;
  const found = loaded.value?.find((one) => one.version === version || String(one.n) === version);
  return (
    <>
      <h2>
        {found?.n ? `v${found.n} ` : ''}
        <code>{version.slice(0, 8)}</code>
      </h2>
      {loaded.fault && <p class="is-warning">{loaded.fault.message}</p>}
      {found && (
        <>
          <p>
            {when(found.at)} · {e.by(found.author)}
            {found.comment ? ` · ${found.comment}` : ''}
          </p>
          <p class="is-second">
            {[found.is_in_force ? e.coming.inForce : e.version.notInForce, standing(found)].filter(Boolean).join(' · ')}
          </p>
        </>
      )}
    </>
  );
}

/** What the map in force has otherwise. */
function Since({ base, version, inForce }: { base: string; version: string; inForce: string }) {
  const path = `${base}/diff?a=${encodeURIComponent(version)}&b=${encodeURIComponent(inForce)}`;
  const loaded = useLoaded((signal) => ask<Differing[]>(path, { signal }), [path]);
  const e = words.edit;
  if (loaded.fault) return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  return (
    <>
      <h2>{e.version.since(loaded.value.length)}</h2>
      <ul class="change-list">
        {loaded.value.map((one) => (
          <li key={one.id}>
            <ChangeBody one={{ ...one, isGeometry: one.geometry, keys: one.properties }} />
            <div class="rows">
              <Button onClick={() => fitTo(one.before ?? one.after)}>{e.show}</Button>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
