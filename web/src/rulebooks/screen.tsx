/** The rulebooks that were in force, when and where, the law of one of them, and what another says otherwise. */
import { ask } from '../api/client';
import { pathOf, route, setQuery } from '../route';
import { waterways, zone } from '../store/store';
import { clock, day, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Failure, Pick, Waiting } from '../ui/parts';
import { Clauses, type Rulebook } from './clauses';
import { TextDiff } from './textdiff';
import '../style/tables.css';
import '../style/findings.css';
import '../style/rulebooks.css';

interface Period {
  from: string;
  to: string | null;
}

interface Version {
  version: string;
  name: string;
  edition: string;
  file: string;
  is_in_force: boolean;
  periods: Period[];
  waterways: string[];
}

interface Difference {
  at: string[];
  before: string | null;
  after: string | null;
}

const short = (version: string): string => version.slice(0, 8);

function when(t: string): string {
  const ms = msOf(t);
  const place = zone.value;
  return `${day(ms, place)}, ${clock(ms, place)} ${zoneLetters(ms, place)}`;
}

const lasted = (period: Period): string =>
  period.to ? words.rulebooks.fromTo(when(period.from), when(period.to)) : words.rulebooks.since(when(period.from));

const nameOf = (id: string): string => waterways.value.find((one) => one.id === id)?.name ?? id;

export function RulebooksScreen() {
  const { id, query } = route.value;
  const list = useLoaded((signal) => ask<Version[]>('/rulebooks', { signal }), []);
  const r = words.rulebooks;
  if (list.fault) return <Failure title={words.errors.title} fault={list.fault} onRetry={list.again} />;
  if (!list.value) return <Waiting />;
  const chosen = id ?? list.value.find((one) => one.is_in_force)?.version ?? list.value[0]?.version ?? null;
  return (
    <div class="admin rulebooks">
      <nav class="admin-nav" aria-label={r.title}>
        {list.value.map((one) => (
          <a
            key={one.version}
            href={pathOf('rulebooks', one.version)}
            aria-current={one.version === chosen ? 'page' : undefined}
          >
            <code>{short(one.version)}</code>{' '}
            {one.is_in_force ? r.inForce : one.periods[0] && day(msOf(one.periods[0].from), zone.value)}
            <small>{one.edition}</small>
          </a>
        ))}
      </nav>
      <div class="admin-main">
        <header class="screen-head">
          <h1>{r.title}</h1>
        </header>
        <div class="admin-body">
          {chosen && <One key={chosen} version={chosen} list={list.value} other={query.get('with')} />}
        </div>
      </div>
    </div>
  );
}

function One({ version, list, other }: { version: string; list: Version[]; other: string | null }) {
  const r = words.rulebooks;
  const of = list.find((one) => one.version === version);
  const loaded = useLoaded(
    (signal) => ask<Rulebook>(`/rulebooks/${encodeURIComponent(version)}`, { signal }),
    [version],
  );
  return (
    <>
      {of && (
        <>
          <p>
            <b>{of.name}</b> <code>{short(version)}</code>
            <br />
            {of.edition}
          </p>
          <ul class="dotted">
            {of.periods.map((period) => (
              <li key={period.from}>
                {lasted(period)}
                {of.waterways.length > 0 && ` · ${of.waterways.map(nameOf).join(', ')}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {list.length > 1 && (
        <Pick
          label={r.compare}
          value={other ?? ''}
          options={[
            ['', r.withNone],
            ...list
              .filter((one) => one.version !== version)
              .map(
                (one) => [one.version, `${short(one.version)} ${one.is_in_force ? r.inForce : one.edition}`] as const,
              ),
          ]}
          onChange={(chosen) => setQuery({ with: chosen || null }, true)}
        />
      )}
      {other && <Differences version={version} other={other} text={loaded.value?.toml ?? null} />}
      {loaded.fault && <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />}
      {!loaded.value && !loaded.fault && <Waiting />}
      {loaded.value && <Clauses {...loaded.value} />}
    </>
  );
}

/** `text` of the first, once it is here. */
function Differences({ version, other, text }: { version: string; other: string; text: string | null }) {
  const r = words.rulebooks;
  const path = `/rulebooks/${encodeURIComponent(version)}/diff?with=${encodeURIComponent(other)}`;
  const loaded = useLoaded((signal) => ask<Difference[]>(path, { signal }), [path]);
  const second = useLoaded((signal) => ask<Rulebook>(`/rulebooks/${encodeURIComponent(other)}`, { signal }), [other]);
  if (loaded.fault) return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  return (
    <>
      <h2>{r.differences(loaded.value.length)}</h2>
      {loaded.value.length > 0 && (
        <table class="table rulebook-diff">
          <thead>
            <tr>
              <th>{r.where}</th>
              <th>{short(version)}</th>
              <th>{short(other)}</th>
            </tr>
          </thead>
          <tbody>
            {loaded.value.map((one) => (
              <tr key={one.at.join('/')}>
                <th scope="row">{one.at.filter((part) => part !== 'rules' && part !== 'clause').join(' › ')}</th>
                <td class={one.before === null ? 'is-second' : undefined}>{one.before ?? r.notThere}</td>
                <td class={one.after === null ? 'is-second' : undefined}>{one.after ?? r.notThere}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {second.fault && <Failure title={words.errors.title} fault={second.fault} onRetry={second.again} />}
      {text !== null && second.value && (
        <TextDiff first={text} second={second.value.toml} names={[short(version), short(other)]} />
      )}
    </>
  );
}
