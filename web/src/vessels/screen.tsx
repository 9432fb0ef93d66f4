/** One boat: its record, judged time, gaps. Opening one asks for a purpose, which is written to the audit log. */
import { useState } from 'preact/hooks';
import { ask, query } from '../api/client';
import type { Finding, VesselRow } from '../api/types';
import { Card } from '../findings/card';
import { pathOf, route, setQuery, go } from '../route';
import { secondNow } from '../store/clock';
import { here, notice, zone } from '../store/store';
import { age, day, fromLocal, isoOf, msOf, span, toLocal, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Dialog, Failure, Field, Waiting } from '../ui/parts';
import '../style/findings.css';
import '../style/tables.css';

interface VesselPage {
  vessels?: VesselRow[];
  next?: string | null;
}

interface VesselDetail extends VesselRow {
  judged_s: number | null;
  not_judged_s?: number | null;
  gaps?: { from: string; to: string; reason: string }[];
  /** How many fixes were not judged, by reason. */
  refused?: Record<string, number>;
  device?: {
    fixes: number;
    interval_s: number | null;
    longest_s: number | null;
    accuracy_m: number | null;
    last_fix_age_s: number | null;
  };
}

/** Purposes given in this window; a boat is asked about once a day. */
const purposes = new Map<string, string>();

export function VesselsScreen() {
  const { id, query: link } = route.value;
  const search = link.get('q') ?? '';
  const v = words.vessels;
  const list = useLoaded(
    (signal) => ask<VesselPage | VesselRow[]>(`/vessels${query({ q: search, limit: 200 })}`, { signal }),
    [search],
  );
  const rows = Array.isArray(list.value) ? list.value : (list.value?.vessels ?? []);
  return (
    <div class="vessels">
      <section class="vessels-list">
        <header class="screen-head">
          <h1>{v.title}</h1>
          <input
            type="search"
            aria-label={v.search}
            placeholder={v.search}
            value={search}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </header>
        {list.fault && <Failure title={words.errors.title} fault={list.fault} onRetry={list.again} />}
        {!list.value && list.isLoading && <Waiting />}
        {list.value && !rows.length && <p class="empty is-padded">{v.none}</p>}
        {rows.length > 0 && (
          <div class="table-box">
            <table class="table">
              <thead>
                <tr>
                  <th>{v.columns.name}</th>
                  <th class="wide-only">{v.columns.class}</th>
                  <th class="is-number">{v.columns.fix}</th>
                  <th class="is-number">{v.columns.findings}</th>
                  <th class="is-number wide-only">{v.columns.interval}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id} aria-selected={row.id === id}>
                    <td>
                      <button type="button" class="link" onClick={() => go(pathOf('vessels', row.id, location.search))}>
                        {row.name || row.id}
                      </button>
                      {row.name ? <div class="is-second">{row.id}</div> : null}
                    </td>
                    <td class="wide-only">{words.live.class(row.class)}</td>
                    <td class="is-number">{row.t ? age((secondNow.value - msOf(row.t)) / 1000) : v.never}</td>
                    <td class="is-number">{row.findings}</td>
                    <td class="is-number wide-only">
                      {row.interval_s === null || row.interval_s === undefined ? '–' : span(row.interval_s)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {id && <VesselAside key={id} id={id} />}
    </div>
  );
}

function VesselAside({ id }: { id: string }) {
  const [purpose, setPurpose] = useState(purposes.get(id) ?? null);
  if (purpose) return <VesselOf id={id} purpose={purpose} />;
  const choose = (why: string): void => {
    purposes.set(id, why);
    setPurpose(why);
    notice.value = { text: words.vessels.recorded };
  };
  return <PurposeDialog onClose={() => go(pathOf('vessels', null, location.search))} onChoose={choose} />;
}

function PurposeDialog({ onClose, onChoose }: { onClose: () => void; onChoose: (why: string) => void }) {
  const [text, setText] = useState('');
  const v = words.vessels;
  return (
    <Dialog title={v.open} onClose={onClose}>
      <p>{v.purpose}</p>
      <div class="reasons">
        {v.purposes
          .filter((one) => one !== 'other')
          .map((one) => (
            <Button key={one} onClick={() => onChoose(one)}>
              {one}
            </Button>
          ))}
      </div>
      <form
        class="rows"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) onChoose(text.trim());
        }}
      >
        <Field label={words.outcomes.text} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <button class="button is-plain" type="submit" disabled={!text.trim()}>
          {v.open}
        </button>
      </form>
    </Dialog>
  );
}

function VesselOf({ id, purpose }: { id: string; purpose: string }) {
  const v = words.vessels;
  const given = route.value.query.get('day');
  const date = given ?? toLocal(secondNow.peek(), zone.value).slice(0, 10);
  const loaded = useLoaded(
    (signal) =>
      ask<VesselDetail>(`/vessels/${encodeURIComponent(id)}${query({ day: date, purpose })}`, {
        signal,
      }),
    [id, date],
  );
  const found = useLoaded(
    (signal) =>
      ask<{ findings: Finding[] }>(`/findings${query({ vessel: id, limit: 50, sort: '-start' })}`, { signal }),
    [id],
  );
  const from = fromLocal(`${date}T00:00:00`, zone.value) ?? secondNow.peek();
  const one = loaded.value;
  return (
    <aside class="findings-detail vessel-aside" aria-label={one?.name ?? id}>
      <div class="detail-body detail">
        <header>
          <h1>{one?.name || id}</h1>
          <p class="is-second">{[words.live.class(one?.class), id].filter(Boolean).join(' · ')}</p>
          <div class="rows">
            <Field
              label={`${v.day} (${zoneLetters(from, zone.value)})`}
              type="date"
              value={date}
              onChange={(event) => setQuery({ day: event.currentTarget.value }, true)}
            />
            <a
              class="button is-plain"
              href={pathOf(
                'review',
                one?.waterway ?? here.value,
                `?from=${isoOf(from)}&to=${isoOf(from + 86_400_000)}&boats=${encodeURIComponent(id)}`,
              )}
            >
              {words.outcomes.review}
            </a>
          </div>
        </header>
        {loaded.fault && <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />}
        {!one && loaded.isLoading && <Waiting rows={2} />}
        {one && (
          <section>
            <h2>{words.review.record}</h2>
            <p>{words.review.judged(span(one.judged_s ?? 0), span(one.not_judged_s ?? 0))}</p>
            {one.refused && (
              <ul class="dotted">
                {Object.entries(one.refused).map(([why, n]) => (
                  <li key={why}>
                    {words.review.refused(n)}: {why.replaceAll('_', ' ')}
                  </li>
                ))}
              </ul>
            )}
            {one.device && one.device.interval_s !== null && (
              <p class="is-second">{v.device(one.device.fixes, span(one.device.interval_s))}</p>
            )}
            {one.gaps && one.gaps.length > 0 && (
              <ul class="dotted">
                {one.gaps.slice(0, 20).map((gap) => (
                  <li key={gap.from}>
                    {day(msOf(gap.from), zone.value)} {words.review.gap(span((msOf(gap.to) - msOf(gap.from)) / 1000))}
                  </li>
                ))}
              </ul>
            )}
          </section>
        )}
        <section>
          <h2>{words.findings.title}</h2>
          <ul class="findings-plain">
            {(found.value?.findings ?? []).map((finding) => (
              <Card
                key={finding.id}
                finding={finding}
                zone={zone.value}
                isChosen={false}
                onChoose={() => go(pathOf('findings', finding.id))}
              />
            ))}
          </ul>
          {found.fault && <p class="is-warning">{found.fault.message}</p>}
        </section>
      </div>
    </aside>
  );
}
