/** Sources, queues, store, law: what the daemon says of itself, every five seconds. */
import { useEffect } from 'preact/hooks';
import { ask } from '../api/client';
import { isSilent, type HeardSource, type Source } from '../store/sources';
import { pathOf } from '../route';
import { waterways, zone } from '../store/store';
import { age, clock, day, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Failure, Waiting } from '../ui/parts';
import { Clauses, type Rulebook } from '../rulebooks/clauses';

interface HealthBody {
  sources: Source[];
  law: unknown;
  [key: string]: unknown;
}

const AGAIN_MS = 5000;

function useHealth() {
  const loaded = useLoaded((signal) => ask<HealthBody>('/health', { signal }), []);
  useEffect(() => {
    const timer = setInterval(loaded.again, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return loaded;
}

export function Sources() {
  const loaded = useHealth();
  const heard = useLoaded((signal) => ask<HeardSource[]>('/sources', { signal }), [loaded.value]);
  const a = words.admin;
  if (loaded.fault && !loaded.value)
    return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const list = loaded.value.sources;
  const silent = heard.value?.filter(isSilent).length ?? 0;
  return (
    <>
      <p>
        <b>{a.sources(list.length - silent, silent)}</b>
      </p>
      <table class="table">
        <thead>
          <tr>
            <th>{a.source}</th>
            <th class="is-number">{a.lastHeard}</th>
            <th class="is-number">{a.rate}</th>
            <th>{a.refused}</th>
          </tr>
        </thead>
        <tbody>
          {list.map((source) => (
            <tr key={source.name}>
              <td>
                <b>{source.name}</b>
              </td>
              <td class="is-number">
                {source.last_message_age_s === null
                  ? words.vessels.never
                  : words.live.ago(age(source.last_message_age_s))}
              </td>
              <td class="is-number">{source.rate_per_s === null ? '–' : `${source.rate_per_s.toFixed(1)} /s`}</td>
              <td>
                {Object.entries(source.refused).map(([reason, { count, samples }]) => (
                  <details key={reason}>
                    <summary>
                      {reason.replaceAll('_', ' ')} {count.toLocaleString('en')}
                    </summary>
                    {samples.map((sample, i) => (
                      <pre key={i}>{`${sample.received_at}  ${sample.topic}\n${sample.detail}\n${sample.payload}`}</pre>
                    ))}
                  </details>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const isQueue = (one: unknown): one is { name: string; length: number } =>
  typeof one === 'object' && one !== null && 'name' in one && 'length' in one;
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A time as the waterway's clocks show it, anything else as it is. */
const asText = (what: unknown): string =>
  typeof what === 'string' && ISO.test(what)
    ? `${day(msOf(what), zone.value)}, ${clock(msOf(what), zone.value)} ${zoneLetters(msOf(what), zone.value)}`
    : typeof what === 'boolean'
      ? what
        ? words.edit.form.yes
        : words.edit.form.no
      : String(what ?? '–');

/** Whatever else the daemon tells, as it tells it. */
function Facts({ value }: { value: Record<string, unknown> }) {
  return (
    <dl class="facts">
      {Object.entries(value).map(([key, what]) => [
        <dt key={`${key}.t`}>{key.replaceAll('_', ' ')}</dt>,
        <dd key={`${key}.d`}>
          {what !== null && typeof what === 'object' && !Array.isArray(what) ? (
            <Facts value={what as Record<string, unknown>} />
          ) : Array.isArray(what) ? (
            what
              .map((one: unknown) =>
                isQueue(one)
                  ? `${one.name} ${one.length.toLocaleString('en')}`
                  : typeof one === 'object'
                    ? JSON.stringify(one)
                    : String(one),
              )
              .join(', ')
          ) : typeof what === 'number' ? (
            what.toLocaleString('en')
          ) : (
            asText(what)
          )}
        </dd>,
      ])}
    </dl>
  );
}

export function Health() {
  const loaded = useHealth();
  if (loaded.fault && !loaded.value)
    return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const { sources: _, law: __, ...rest } = loaded.value;
  return (
    <>
      <Facts value={rest} />
      {waterways.value
        .filter((one) => one.law.fault)
        .map((one) => (
          <p key={one.id} class="is-warning">
            {one.name}: {one.law.fault}
          </p>
        ))}
    </>
  );
}

export function RulebookPage() {
  const loaded = useLoaded((signal) => ask<Rulebook>('/rulebook', { signal }), []);
  if (loaded.fault) return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting />;
  const { name, version, toml, rules } = loaded.value;
  return (
    <>
      <p>
        <b>{name}</b> <code>{version.slice(0, 8)}</code>
        <br />
        <a href={pathOf('rulebooks', version)}>{words.rulebooks.all}</a>
      </p>
      <Clauses rules={rules} toml={toml} />
    </>
  );
}

export function Retention() {
  const loaded = useHealth();
  const store = loaded.value?.store;
  return (
    <>
      <p>{words.admin.retention}</p>
      {store && typeof store === 'object' ? <Facts value={store as Record<string, unknown>} /> : null}
    </>
  );
}
