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
  n: number;
  who: string;
  action: string;
  /** A vessel, an account. */
  about: string;
  purpose: string | null;
  detail: string | null;
}

export function Audit() {
  const a = words.admin;
  const vessel = route.value.query.get('boat') ?? '';
  const loaded = useLoaded(
    (signal) => ask<Entry[]>(`/audit${query({ about: vessel, limit: 200 })}`, { signal }),
    [vessel],
  );
  if (loaded.fault) return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const list = loaded.value;
  return (
    <>
      <Field
        label={a.vessel}
        type="search"
        value={vessel}
        onInput={(event) => setQuery({ boat: event.currentTarget.value })}
      />
      {!list.length && <p class="empty">{a.none}</p>}
      <table class="table">
        <thead>
          <tr>
            <th>{a.when}</th>
            <th>{a.who}</th>
            <th>{a.what}</th>
            <th>{a.vessel}</th>
            <th>{a.why}</th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => (
            <tr key={one.n}>
              <td title={inUtc(msOf(one.at))}>
                {dateUnlessToday(msOf(one.at), secondNow.peek(), zone.value)}
                {clock(msOf(one.at), zone.value)} {zoneLetters(msOf(one.at), zone.value)}
              </td>
              <td>{one.who}</td>
              <td>{one.action.replaceAll('_', ' ')}</td>
              <td>{one.about}</td>
              <td>{[one.purpose, one.detail].filter(Boolean).join(' · ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
