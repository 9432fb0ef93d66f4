/** What was published of the map, what is to come, and what the draft changes. */
import type { FeatureCollection } from 'geojson';
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { MapVersion } from '../api/types';
import { failed } from '../live/doing';
import { secondNow } from '../store/clock';
import { zone } from '../store/store';
import { clock, day, msOf, zoneLetters } from '../time';
import { useLoaded } from '../ui/load';
import { Button, Failure, Waiting } from '../ui/parts';
import { words } from '../words/en';
import { ChangeList } from './changes';
import { change, changes, source } from './state';
import { versionPath } from '../findings/links';

/** An instant at the waterway, with its day where that is not today. */
export function when(t: string): string {
  const ms = msOf(t);
  const place = zone.value;
  const date = day(ms, place) === day(secondNow.peek(), place) ? '' : `${day(ms, place)}, `;
  return `${date}${clock(ms, place)} ${zoneLetters(ms, place)}`;
}

/** How a version stands: in force, to come, withdrawn. */
export function standing(one: MapVersion): string | null {
  const e = words.edit.coming;
  if (one.withdrawn_by && one.withdrawn_at) return e.withdrawn(one.withdrawn_by, when(one.withdrawn_at));
  if (one.is_coming && one.valid_from) return e.from(when(one.valid_from));
  if (one.came_at) return e.since(when(one.came_at));
  return null;
}

export function History({ waterway }: { waterway: string }) {
  const path = `/waterways/${encodeURIComponent(waterway)}/versions`;
  const loaded = useLoaded((signal) => ask<MapVersion[]>(path, { signal }), [waterway]);
  const [asked, setAsked] = useState<number | null>(null);
  if (loaded.fault) return <Failure title={words.errors.title} text={loaded.fault.message} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const of = (one: MapVersion): string => `${path}/${encodeURIComponent(one.n ? String(one.n) : one.version)}`;
  const make = async (one: MapVersion): Promise<void> => {
    try {
      change(await ask<FeatureCollection>(of(one)));
    } catch (cause) {
      failed(cause);
    }
  };
  const withdraw = async (one: MapVersion): Promise<void> => {
    setAsked(null);
    try {
      await ask(of(one), { method: 'DELETE' });
    } catch (cause) {
      failed(cause);
    }
    loaded.again();
  };
  const e = words.edit;
  return (
    <div class="panel-body">
      <h2>
        {e.changes} {changes.value.length > 0 && <span class="is-second">({changes.value.length})</span>}
      </h2>
      <ChangeList />
      <h2>{e.tabs.past}</h2>
      <ul class="version-list">
        {loaded.value.map((one) => (
          <li key={`${one.n} ${one.version}`} class="version">
            <b>
              {one.n ? `v${one.n} ` : ''}
              <code>{one.version.slice(0, 8)}</code>
            </b>{' '}
            {when(one.at)}
            <span class="is-second">
              {' '}
              · {e.by(one.author)}
              {one.comment ? ` · ${one.comment}` : ''}
            </span>
            {(one.is_in_force || standing(one)) && (
              <div class={one.is_coming ? 'version-coming' : 'is-second'}>
                {[one.is_in_force ? e.coming.inForce : null, standing(one)].filter(Boolean).join(' · ')}
              </div>
            )}
            {one.fault && <p class="is-warning">{e.coming.fault(one.fault)}</p>}
            <a class="button is-plain" href={versionPath(waterway, one.version)}>
              {e.version.look}
            </a>
            {source.value && <Button onClick={() => void make(one)}>{e.makeDraft}</Button>}
            {one.is_coming &&
              (asked === one.n ? (
                <div class="rows">
                  <Button onClick={() => void withdraw(one)}>{e.coming.reallyWithdraw}</Button>
                  <Button onClick={() => setAsked(null)}>{words.cancel}</Button>
                </div>
              ) : (
                <Button onClick={() => setAsked(one.n)}>{e.coming.withdraw}</Button>
              ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
