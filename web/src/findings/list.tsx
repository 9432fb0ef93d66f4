/**
 * The list beside the live map. New findings insert only while the list is at its top and neither pointer nor focus is
 * inside; else they are counted in a bar, and a click inserts them and keeps the card that was read in place.
 */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Finding } from '../api/types';
import { shownMap } from '../map/view';
import { pathOf, route, setQuery } from '../route';
import { boatCount, boats } from '../store/boats';
import { minuteNow } from '../store/clock';
import { chosenBoat, chosenFinding, findings, here, needsSomeone, quiet, zone } from '../store/store';
import { day, msOf } from '../time';
import { words } from '../words/en';
import { hasFindings, line } from '../stream/live';
import { Chip, Pick, Waiting } from '../ui/parts';
import { Card } from './card';
import { KEYS, liveFilters, passes, sorted, type Filters } from './filters';

export function chooseFinding(finding: Finding): void {
  chosenFinding.value = finding.id;
  chosenBoat.value = boats.has(finding.vessel) ? finding.vessel : null;
  setQuery({ f: finding.id, v: chosenBoat.value }, true);
  goTo(finding);
}

const NEAR_ZOOM = 14.5;

/** One tap to the boat: the map goes there where it is not in view, or too small to see. */
function goTo(finding: Finding): void {
  const map = shownMap.value?.map;
  if (!map || route.value.screen !== 'live') return;
  const boat = finding.status === 'open' ? boats.get(finding.vessel) : undefined;
  const place = boat ?? finding.peak;
  const isIn = map.getBounds().contains([place.lon, place.lat]);
  if (isIn && map.getZoom() >= NEAR_ZOOM) return;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.easeTo({ center: [place.lon, place.lat], zoom: Math.max(15.5, map.getZoom()), duration: isStill ? 0 : 500 });
}

/** What the list shows now: chosen by filters, weak leads apart. */
export function listed(filters: Filters): { strong: Finding[]; weak: Finding[]; hidden: number } {
  const strong: Finding[] = [];
  const weak: Finding[] = [];
  let hidden = 0;
  for (const finding of findings.value.values()) {
    if (finding.status === 'withdrawn') continue;
    if (!passes(finding, filters) && finding.id !== chosenFinding.value) {
      if (needsSomeone(finding) && !finding.is_weak) hidden++;
    } else (finding.is_weak ? weak : strong).push(finding);
  }
  return { strong: sorted(strong, filters.sort), weak: sorted(weak, filters.sort), hidden };
}

/** Clauses broken by the same boat at the same time are one card, the surest breach first. */
export function grouped(list: Finding[]): { first: Finding; also: Finding[] }[] {
  const groups: { first: Finding; also: Finding[] }[] = [];
  const last = new Map<string, { first: Finding; also: Finding[] }>();
  for (const finding of list) {
    const before = last.get(finding.vessel);
    const isSame = before && before.first.state === finding.state && overlaps(before.first, finding);
    if (isSame && before.first.id !== chosenFinding.value && finding.id !== chosenFinding.value) {
      if (finding.confidence > before.first.confidence && finding.verdict === 'breach') {
        before.also.push(before.first);
        before.first = finding;
      } else before.also.push(finding);
      continue;
    }
    const group = { first: finding, also: [] };
    groups.push(group);
    last.set(finding.vessel, group);
  }
  return groups;
}

function overlaps(a: Finding, b: Finding): boolean {
  const end = (one: Finding): number => (one.end ? msOf(one.end) : Infinity);
  return msOf(a.start) < end(b) && msOf(b.start) < end(a);
}

/** Findings that wait to be inserted; their bar stands in the head, so that no card moves when it comes. */
const waitingNew = signal<{ count: number; insert: () => void } | null>(null);

/** Cards drawn at first; more on demand. */
const CARDS_MOST = 60;

export function FindingList({ onPhoneChoose }: { onPhoneChoose?: () => void }) {
  const filters = liveFilters();
  const { strong, weak, hidden } = listed(filters);
  const groups = grouped(strong);
  const scroller = useRef<HTMLDivElement>(null);
  const isInside = useRef(false);
  const shown = useRef<Set<string> | null>(null);
  const [hasWeak, setWeak] = useState(false);
  const [most, setMost] = useState(CARDS_MOST);
  const [, redraw] = useState(0);
  const filterKey = JSON.stringify(filters);
  const seenFilter = useRef(filterKey);

  const isStill = (): boolean => {
    const box = scroller.current;
    return !!box && (box.scrollTop > 4 || isInside.current || box.contains(document.activeElement));
  };
  if (!shown.current || seenFilter.current !== filterKey || !isStill()) {
    shown.current = new Set(strong.map((one) => one.id));
    seenFilter.current = filterKey;
  }
  const isShown = (group: { first: Finding; also: Finding[] }): boolean =>
    [group.first, ...group.also].some((one) => shown.current!.has(one.id) || one.id === chosenFinding.value);
  const all = groups.filter(isShown);
  const visible = all.slice(0, most);
  const pending = groups.length - all.length;

  const insert = (): void => {
    const box = scroller.current;
    const anchor = box?.querySelector<HTMLElement>('.card.is-chosen') ?? firstSeen(box);
    const before = anchor?.getBoundingClientRect().top ?? 0;
    shown.current = new Set(strong.map((one) => one.id));
    kept.current = anchor ? { anchor, before } : null;
    redraw((n) => n + 1);
  };
  useEffect(() => {
    waitingNew.value = pending > 0 ? { count: pending, insert: () => insertNow.current() } : null;
  }, [pending]);
  const insertNow = useRef(insert);
  insertNow.current = insert;
  const kept = useRef<{ anchor: HTMLElement; before: number } | null>(null);
  useLayoutEffect(() => {
    if (!kept.current || !scroller.current) return;
    scroller.current.scrollTop += kept.current.anchor.getBoundingClientRect().top - kept.current.before;
    kept.current = null;
  });

  return (
    <div
      class="findings-list"
      ref={scroller}
      tabIndex={-1}
      onPointerEnter={(event) => {
        isInside.current = event.pointerType === 'mouse';
      }}
      onPointerLeave={() => {
        isInside.current = false;
        redraw((n) => n + 1);
      }}
    >
      <ul>
        {visible.map(({ first, also }) => (
          <Card
            key={first.id}
            finding={first}
            also={also.length}
            zone={zone.value}
            isChosen={first.id === chosenFinding.value}
            hasButtons
            onChoose={() => {
              chooseFinding(first);
              onPhoneChoose?.();
            }}
          />
        ))}
      </ul>
      {!visible.length && (hasFindings.value ? <Nothing filters={filters} /> : <Coming />)}
      {all.length > most && (
        <button type="button" class="weak-row" onClick={() => setMost(most + CARDS_MOST)}>
          {words.findings.older(all.length - most)}
        </button>
      )}
      {hidden > 0 && <p class="is-second list-note">{words.findings.hidden(hidden)}</p>}
      {weak.length > 0 && (
        <>
          <button type="button" class="weak-row" aria-expanded={hasWeak} onClick={() => setWeak(!hasWeak)}>
            {hasWeak ? words.findings.hideWeak : words.findings.weak(weak.length)}
          </button>
          {hasWeak && (
            <ul>
              {weak.slice(0, CARDS_MOST).map((one) => (
                <Card
                  key={one.id}
                  finding={one}
                  zone={zone.value}
                  isChosen={one.id === chosenFinding.value}
                  hasButtons
                  onChoose={() => chooseFinding(one)}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}

function firstSeen(box: HTMLElement | null): HTMLElement | null {
  if (!box) return null;
  const top = box.getBoundingClientRect().top;
  return (
    [...box.querySelectorAll<HTMLElement>('.card')].find((card) => card.getBoundingClientRect().bottom > top + 8) ??
    null
  );
}

/** Nothing has been told yet: on its way, or out of reach. */
function Coming() {
  const isDown = line.value === 'offline' || line.value === 'reconnecting';
  return isDown ? <p class="empty">{words.findings.outOfReach}</p> : <Waiting />;
}

/** What can be done where there is no finding. */
export function NothingNext() {
  return (
    <p class="empty">
      {words.findings.emptyNext} <a href={pathOf('review', here.value)}>{words.live.reviewInstead}</a>
    </p>
  );
}

function Nothing({ filters }: { filters: Filters }) {
  const isNarrow = KEYS.some((key) => key !== 'sort' && key !== 'state' && filters[key]);
  const said = (
    <p class="empty">
      {isNarrow
        ? words.findings.emptyFilter(
            KEYS.filter((key) => key !== 'sort' && key !== 'state' && filters[key])
              .map((key) => (key === 'area' ? words.findings.area_ : filters[key]))
              .join(', '),
          )
        : words.findings.empty(boatCount.value, null)}
    </p>
  );
  return (
    <>
      {said}
      {!isNarrow && boatCount.value === 0 && <NothingNext />}
    </>
  );
}

/** Chips over the list; all in the link. */
export function ListFilters() {
  const filters = liveFilters();
  const f = words.findings.filters;
  const all = [...findings.value.values()].filter((one) => one.status !== 'withdrawn');
  const rules = new Map(all.map((one) => [one.rule, one.title]));
  const today = day(minuteNow.value, zone.value);
  const todays = all.filter((one) => day(msOf(one.start), zone.value) === today && !one.is_weak);
  const open = all.filter((one) => needsSomeone(one) && !one.is_weak);
  const isNeeded = filters.state !== '';
  return (
    <div class="list-head">
      <div class="list-title">
        <h1>{words.findings.title}</h1>
        {waitingNew.value ? (
          <button type="button" class="new-ones" onClick={waitingNew.value.insert}>
            {words.findings.newOnes(waitingNew.value.count)}
          </button>
        ) : (
          <span class="is-second">
            {words.findings.counts(open.length, todays.length)}
            {quiet.value.length ? ` · ${words.findings.quiet(quiet.value.length)}` : ''}
          </span>
        )}
      </div>
      <div class="chips">
        <Chip isOn={isNeeded} onClick={() => setQuery({ state: isNeeded ? 'any' : null }, true)}>
          {f.openNew}
        </Chip>
        <Chip isOn={!isNeeded} onClick={() => setQuery({ state: isNeeded ? 'any' : null }, true)}>
          {f.all}
        </Chip>
        <Pick
          isBare
          label={words.findings.rule_}
          value={filters.rule}
          onChange={(rule) => setQuery({ rule: rule || null }, true)}
          options={[
            ['', f.allRules] as const,
            ...[...rules].sort((a, b) => a[1].localeCompare(b[1])).map(([id, title]) => [id, title] as const),
          ]}
        />
        <Chip
          isOn={filters.verdict === ''}
          onClick={() => setQuery({ verdict: filters.verdict ? null : 'breach' }, true)}
        >
          {f.possible} {filters.verdict === '' ? '✓' : ''}
        </Chip>
      </div>
    </div>
  );
}
