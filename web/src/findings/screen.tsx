/** All leads and their outcomes: filters in the link, the list, and one finding explained. */
import { useEffect, useState } from 'preact/hooks';
import { API, ask, query } from '../api/client';
import type { Finding, FindingPage, FindingState, Verdict } from '../api/types';
import { go, pathOf, route, setQuery } from '../route';
import { prefs, setPref } from '../store/prefs';
import { findings, here, hearFindings, zone } from '../store/store';
import { fromLocal, isoOf, msOf, toLocal, zoneLetters } from '../time';
import { minuteNow } from '../store/clock';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Chip, Failure, Field, Menu, Pick, Waiting } from '../ui/parts';
import { isPhone } from '../ui/size';
import { AreaDialog } from './area';
import { Card } from './card';
import { asQuery, filtersOf, KEYS, passes, sorted, type Filters } from './filters';
import { NothingNext } from './list';
import { Detail } from './detail';
import '../style/findings.css';

const STATES: FindingState[] = ['open', 'new', 'acknowledged', 'noted', 'warned', 'cited', 'dismissed', 'withdrawn'];
const PAGE = 100;

export function FindingsScreen() {
  const { id, query: search } = route.value;
  const filters = filtersOf(search);
  const key = JSON.stringify(filters);
  const [isDrawing, setDrawing] = useState(false);
  const first = useLoaded(
    (signal) => ask<FindingPage>(`/findings${query({ ...asQuery(filters, here.value), limit: PAGE })}`, { signal }),
    [key, here.value],
  );
  const [more, setMore] = useState<{ key: string; list: Finding[]; next: string | null } | null>(null);
  useEffect(() => {
    if (first.value) hearFindings(first.value.findings);
  }, [first.value]);
  useEffect(() => setMore(null), [key]);
  const isSmall = isPhone.value;

  const fetched = [...(first.value?.findings ?? []), ...(more?.key === key ? more.list : [])];
  // What the live line has told since is part of the list, if it passes.
  const ids = new Set(fetched.map((one) => one.id));
  const live = [...findings.value.values()].filter(
    (one) =>
      !ids.has(one.id) &&
      one.waterway === here.value &&
      passes(one, filters) &&
      (filters.state.includes('withdrawn') || one.status !== 'withdrawn'),
  );
  const all = sorted([...fetched.map((one) => findings.value.get(one.id) ?? one), ...live], filters.sort);
  const strong = all.filter((one) => !one.is_weak);
  const weak = all.filter((one) => one.is_weak);
  const next = more?.key === key ? more.next : (first.value?.next ?? null);
  const older = async (): Promise<void> => {
    const page = await ask<FindingPage>(
      `/findings${query({ ...asQuery(filters, here.value), limit: PAGE, after: next })}`,
    );
    setMore({ key, list: [...(more?.key === key ? more.list : []), ...page.findings], next: page.next });
  };
  const choose = (finding: Finding): void => go(pathOf('findings', finding.id, location.search));
  if (isSmall && id)
    return (
      <div class="findings-screen">
        <a class="back" href={pathOf('findings', null, location.search)}>
          ‹ {words.back}
        </a>
        <Detail id={id} isFull />
      </div>
    );
  return (
    <div class="findings-screen">
      {!isSmall && (
        <aside class="filters" aria-label="Filters">
          <FilterForm filters={filters} counts={first.value?.counts ?? null} onDraw={() => setDrawing(true)} />
        </aside>
      )}
      <section class="findings-middle" aria-label={words.findings.title}>
        <header class="screen-head">
          <h1>{first.value ? words.findings.total(strong.length, !!next) : words.findings.title}</h1>
          <Pick
            isBare
            label={words.findings.sortBy}
            value={filters.sort}
            options={Object.entries(words.findings.sort)}
            onChange={(sort) => setQuery({ sort: sort === '-start' ? null : sort }, true)}
          />
          <span class="space" />
          {isSmall && (
            <Menu label="Filters" align="end" button="Filters">
              {() => (
                <div class="filters">
                  <FilterForm filters={filters} counts={first.value?.counts ?? null} onDraw={() => setDrawing(true)} />
                </div>
              )}
            </Menu>
          )}
          <Menu label={words.findings.export} align="end" button={words.findings.export}>
            {(close) => (
              <div class="rows">
                {['csv', 'geojson', 'gpx', 'kml'].map((kind) => (
                  <a
                    key={kind}
                    class="button is-plain"
                    download
                    href={`${API}/findings.${kind}${query(asQuery(filters, here.value))}`}
                    onClick={close}
                  >
                    {kind.toUpperCase()}
                  </a>
                ))}
              </div>
            )}
          </Menu>
        </header>
        {first.fault && <Failure title={words.errors.title} fault={first.fault} onRetry={first.again} />}
        {first.isLoading && !first.value && <Waiting />}
        <div class="findings-list">
          <ul>
            {strong.map((one) => (
              <Card
                key={one.id}
                finding={one}
                zone={zone.value}
                isChosen={one.id === id}
                onChoose={() => choose(one)}
              />
            ))}
          </ul>
          {first.value && !all.length && <p class="empty">{emptyWords(filters) ?? words.findings.noneStored}</p>}
          {first.value && !all.length && emptyWords(filters) === null && <NothingNext />}
          <WeakLeads list={weak} chosen={id} onChoose={choose} />
          {next && <Button onClick={() => void older()}>{words.findings.more}</Button>}
        </div>
      </section>
      {!isSmall && (
        <aside class="findings-detail" aria-label={words.detail.measured}>
          {id ? <Detail key={id} id={id} isFull /> : <p class="empty">{words.findings.choose}</p>}
        </aside>
      )}
      {isDrawing && (
        <AreaDialog
          value={filters.area}
          findings={[...findings.value.values()].filter((one) => one.waterway === here.value && !one.is_weak)}
          onDone={(text) => {
            setQuery({ area: text || null }, true);
            setDrawing(false);
          }}
          onClose={() => setDrawing(false)}
        />
      )}
    </div>
  );
}

function WeakLeads({
  list,
  chosen,
  onChoose,
}: {
  list: Finding[];
  chosen: string | null;
  onChoose: (finding: Finding) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  if (!list.length) return null;
  return (
    <>
      <button type="button" class="weak-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? words.findings.hideWeak : words.findings.weak(list.length)}
      </button>
      {isOpen && (
        <ul>
          {list.map((one) => (
            <Card
              key={one.id}
              finding={one}
              zone={zone.value}
              isChosen={one.id === chosen}
              onChoose={() => onChoose(one)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** Names the filter that emptied the list. */
/** Which filters leave nothing; null where none is set. */
function emptyWords(filters: Filters): string | null {
  const active = KEYS.filter((key) => key !== 'sort' && filters[key]);
  return active.length
    ? words.findings.emptyFilter(active.map((key) => (key === 'area' ? words.findings.area_ : filters[key])).join(', '))
    : null;
}

function FilterForm({
  filters,
  counts,
  onDraw,
}: {
  filters: Filters;
  counts: FindingPage['counts'] | null;
  onDraw: () => void;
}) {
  const f = words.findings;
  const states = new Set(filters.state.split(',').filter(Boolean));
  const flip = (state: FindingState): void => {
    if (states.has(state)) states.delete(state);
    else states.add(state);
    setQuery({ state: [...states].join(',') || null }, true);
  };
  const rules = Object.entries(counts?.by_rule ?? {});
  const local = (text: string): string => (text ? toLocal(msOf(text), zone.value) : '');
  const instant = (text: string): string | null => {
    const ms = text ? fromLocal(text, zone.value) : null;
    return ms === null ? null : isoOf(ms);
  };
  const letters = zoneLetters(minuteNow.value, zone.value);
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>{f.state_}</legend>
        {STATES.map((state) => (
          <label class="check" key={state}>
            <input type="checkbox" checked={states.has(state)} onChange={() => flip(state)} /> {f.state(state)}{' '}
            <span class="is-second">{counts?.by_state[state] ?? ''}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{f.verdict_}</legend>
        <div class="chips">
          {(['', 'breach', 'possible'] as const).map((verdict) => (
            <Chip
              key={verdict}
              isOn={filters.verdict === verdict}
              onClick={() => setQuery({ verdict: verdict || null }, true)}
            >
              {verdict ? `${f.verdict[verdict as Verdict]} ${counts?.by_verdict[verdict] ?? ''}` : f.filters.all}
            </Chip>
          ))}
        </div>
      </fieldset>
      <Pick
        label={f.rule_}
        value={filters.rule}
        options={[['', f.filters.allRules], ...rules.map(([rule, n]) => [rule, `${rule} (${n})`] as const)]}
        onChange={(rule) => setQuery({ rule: rule || null }, true)}
      />
      <Field
        label={f.boat_}
        type="search"
        value={filters.boat}
        onInput={(event) => setQuery({ boat: event.currentTarget.value.trim() })}
      />
      <Field
        label={f.feature_}
        value={filters.feature}
        onInput={(event) => setQuery({ feature: event.currentTarget.value.trim() })}
      />
      <fieldset>
        <legend>{f.area_}</legend>
        <div class="rows">
          <Button onClick={onDraw}>{filters.area ? f.area.change : f.area.draw}</Button>
          {filters.area && <Button onClick={() => setQuery({ area: null }, true)}>{f.area.whole}</Button>}
        </div>
      </fieldset>
      <Field
        label={`${f.from} (${letters})`}
        type="datetime-local"
        step="1"
        value={local(filters.from)}
        onChange={(event) => setQuery({ from: instant(event.currentTarget.value) })}
      />
      <Field
        label={`${f.to} (${letters})`}
        type="datetime-local"
        step="1"
        value={local(filters.to)}
        onChange={(event) => setQuery({ to: instant(event.currentTarget.value) })}
      />
      <Field
        label={`${f.leastOdds} (in 100)`}
        type="number"
        min={0}
        max={99}
        value={filters.odds}
        onInput={(event) => setQuery({ odds: event.currentTarget.value })}
      />
      <Views />
    </form>
  );
}

/** Views saved by name, in this browser. */
function Views() {
  const f = words.findings;
  const [name, setName] = useState('');
  const save = (): void => {
    setPref({ views: [...prefs.value.views.filter((one) => one.name !== name), { name, query: location.search }] });
    setName('');
  };
  return (
    <fieldset>
      <legend>{f.views}</legend>
      {prefs.value.views.map((view) => (
        <a key={view.name} class="button is-plain" href={pathOf('findings', null, view.query)}>
          {view.name}
        </a>
      ))}
      <Field label={f.viewName} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <Button disabled={!name.trim()} onClick={save}>
        {f.saveView}
      </Button>
    </fieldset>
  );
}
