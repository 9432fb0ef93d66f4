/** Who looked at what, and why. */
import { ask, query } from '../api/client';
import { route, setQuery } from '../route';
import { secondNow } from '../store/clock';
import { zone } from '../store/store';
import { clock, dateUnlessToday, inUtc, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Failure, Field, Waiting } from '../ui/parts';

interface Entry {
  at: string;
  user?: string | null;
  by?: string | null;
  action?: string;
  what?: string;
  vessel?: string | null;
  subject?: string | null;
  purpose?: string | null;
  detail?: unknown;
}

export function Audit() {
  const a = words.admin;
  const vessel = route.value.query.get('boat') ?? '';
  const loaded = useLoaded((signal) => ask<Entry[] | { entries: Entry[] }>(`/audit${query({ vessel, limit: 200 })}`, { signal }), [vessel]);
  if (loaded.fault) return <Failure title={words.errors.title} text={loaded.fault.message} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const list = Array.isArray(loaded.value) ? loaded.value : loaded.value.entries;
  return (
    <>
      <Field label={a.vessel} type="search" value={vessel} onInput={(event) => setQuery({ boat: event.currentTarget.value })} />
      {!list.length && <p class="empty">{a.none}</p>}
      <table class="table">
        <thead><tr><th>{a.when}</th><th>{a.who}</th><th>{a.what}</th><th>{a.vessel}</th><th>{a.why}</th></tr></thead>
        <tbody>{list.map((one, i) => (
          <tr key={i}>
            <td title={inUtc(msOf(one.at))}>{dateUnlessToday(msOf(one.at), secondNow.peek(), zone.value)}{clock(msOf(one.at), zone.value)} {zoneLetters(msOf(one.at), zone.value)}</td>
            <td>{one.user ?? one.by ?? '–'}</td><td>{(one.action ?? one.what ?? '').replaceAll('_', ' ')}</td><td>{one.vessel ?? one.subject ?? ''}</td><td>{one.purpose ?? (one.detail ? JSON.stringify(one.detail) : '')}</td>
          </tr>
        ))}</tbody>
      </table>
    </>
  );
}
