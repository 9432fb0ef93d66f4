/** Live: who is where, against which limit, what needs me now. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { foremost, type FleetCount } from '../map/fleet';
import { showLive, touched } from '../map/livemap';
import { MapView, shownMap, type MapHandle } from '../map/view';
import { zones, zonesFault } from '../map/zones';
import { ask } from '../api/client';
import { pathOf, route, setQuery } from '../route';
import { ageOf, boatCount, boats, nameOf, type BoatNow } from '../store/boats';
import { secondNow } from '../store/clock';
import {
  chosenBoat,
  chosenFinding,
  findings,
  followed,
  here,
  may,
  needsSomeone,
  notice,
  units,
  waterway,
  zone,
} from '../store/store';
import { line, lookAt, newestFix } from '../stream/live';
import { age, clockShortZoned, msOf } from '../time';
import { distanceText, limitText, speedText } from '../units';
import { words } from '../words/en';
import { FindingList, ListFilters } from '../findings/list';
import { isSilent, type HeardSource } from '../store/sources';
import { useLoaded } from '../ui/load';
import { isPhone } from '../ui/size';
import { Sheet } from '../ui/sheet';
import { ActionBar, ActionPanel } from './actions';
import { chosenMark, isActionMenuOpen, isPlacing, setPlace } from './doing';
import { EndingSoon, PlaceCross } from './marks';
import { BoatLine } from './boatline';
import { BoatTable } from './boattable';
import { CrowdList, type Crowd } from './crowd';
import { LayerList, MapControls, Scale, SpeedKey, useLayerSwitches } from './controls';
import { Judged } from './judged';
import { PhoneFinding } from './phone';

export function chooseBoat(id: string | null): void {
  chosenBoat.value = id;
  chosenMark.value = null;
  const boat = id ? boats.get(id) : undefined;
  const finding = boat
    ? (foremost(boat, findings.value)?.id ?? boat.open.find((one) => findings.value.has(one)))
    : null;
  if (finding || !id) chosenFinding.value = finding ?? null;
  setQuery({ v: id, f: finding ?? null }, true);
}

/** Selection from the link, once what it names is here. */
function useLinkedSelection(): void {
  const { query } = route.value;
  const v = query.get('v');
  const f = query.get('f');
  useEffect(() => {
    chosenBoat.value = v;
    chosenFinding.value = f;
  }, [v, f]);
}

export function LiveScreen() {
  useLinkedSelection();
  useLayerSwitches();
  const [count, setCount] = useState<FleetCount | null>(null);
  const [tab, setTab] = useState<'findings' | 'boats'>('findings');
  const crowd = useSignal<Crowd | null>(null);
  const hover = useSignal<{ x: number; y: number; boat: BoatNow } | null>(null);
  const isSmall = isPhone.value;
  const stop = useRef(0);

  const ready = (handle: MapHandle): (() => void) => {
    const end = showLive(handle, setCount, route.value.query.has('at'));
    const { map } = handle;
    const reach = isCoarse() ? 28 : 22;
    map.on('click', (event) => {
      hover.value = null;
      crowd.value = null;
      if (isPlacing()) {
        setPlace(event.lngLat.lat, event.lngLat.lng);
        return;
      }
      const mark = map.getLayer('marks') && map.queryRenderedFeatures(event.point, { layers: ['marks'] })[0];
      const hit = touched(handle, event.point.x, event.point.y, reach);
      if (hit.boats.length > 1 && (hit.isPlate || isBerthed(handle, hit.boats)))
        crowd.value = { ...event.point, ids: hit.boats.map((boat) => boat.id), isPlate: hit.isPlate };
      else if (hit.boats[0]) chooseBoat(hit.boats[0].id);
      else if (hit.finding) {
        const finding = findings.value.get(hit.finding)!;
        chosenFinding.value = finding.id;
        setQuery({ f: finding.id, v: null }, true);
      } else if (mark) chosenMark.value = String(mark.properties.id);
      else chooseBoat(null);
    });
    map.on('mousemove', (event) => {
      window.clearTimeout(stop.current);
      hover.value = null;
      const { x, y } = event.point;
      stop.current = window.setTimeout(() => {
        const hit = touched(handle, x, y, 14);
        const boat = hit.boats[0];
        map.getCanvas().style.cursor = boat ? 'pointer' : '';
        if (boat && !(hit.isPlate && hit.boats.length > 1)) hover.value = { x, y, boat };
      }, 150);
    });
    map.on('dragstart', () => {
      if (followed.value) {
        followed.value = null;
        notice.value = { text: words.live.followEnded };
      }
    });
    return end;
  };

  const sheet = (
    <>
      <ListFilters />
      {tab === 'findings' ? <FindingList /> : <BoatTable onChoose={chooseBoat} />}
    </>
  );
  return (
    <div class="live">
      <Conditions />
      <EndingSoon />
      <div class="live-main">
        <MapView
          label={words.live.map}
          at={route.value.query.get('at')}
          hasBoats
          onReady={ready}
          onMove={(at) => {
            setQuery({ at });
            if (isSmall) lookAtView();
          }}
        >
          <MapFrame />
          <div class="map-top">
            {(!isSmall || isActionMenuOpen.value) && <ActionBar />}
            <ActionPanel />
          </div>
          <div class="map-right">
            <MapControls
              isPhone={isSmall}
              onActions={
                may('officer')
                  ? () => {
                      isActionMenuOpen.value = !isActionMenuOpen.value;
                    }
                  : undefined
              }
            />
            <LayerList />
          </div>
          <PlaceCross />
          <div class="map-bottom">
            {!isSmall && <BoatLine />}
            <div class="map-corner">
              {count && count.inView > count.named && (
                <span class="crowd-note">{words.live.crowd(count.inView, count.named)}</span>
              )}
              <Scale />
              {!isSmall && <SpeedKey />}
            </div>
          </div>
          <Walker onChoose={chooseBoat} />
          {hover.value && !isSmall && <Tip {...hover.value} />}
          {crowd.value && shownMap.value && (
            <CrowdList
              {...crowd.value}
              handle={shownMap.value}
              onClose={() => (crowd.value = null)}
              onChoose={(id) => {
                crowd.value = null;
                chooseBoat(id);
              }}
            />
          )}
        </MapView>
        {isSmall ? (
          <Sheet>
            <PhoneFinding />
            {sheet}
            <Judged onChoose={chooseBoat} />
          </Sheet>
        ) : (
          <aside class="panel" aria-label={words.findings.title}>
            {sheet}
            <Judged onChoose={chooseBoat} />
            <div class="panel-tabs" role="group" aria-label={words.findings.list}>
              <button type="button" aria-pressed={tab === 'findings'} onClick={() => setTab('findings')}>
                {words.findings.list}
              </button>
              <button type="button" aria-pressed={tab === 'boats'} onClick={() => setTab('boats')}>
                {words.findings.boats} {boatCount}
              </button>
            </div>
          </aside>
        )}
      </div>
    </div>
  );
}

/** The phone asks for the boats of its view alone. */
function lookAtView(): void {
  const bounds = shownMap.value?.map.getBounds();
  if (bounds) lookAt([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]);
}

/** Boats so close on screen that a click cannot mean one of them; a finger means less closely than a mouse. */
function isBerthed({ map }: MapHandle, [a, b]: readonly BoatNow[]): boolean {
  if (!a || !b) return false;
  const [p, q] = [map.project([a.lon, a.lat]), map.project([b.lon, b.lat])];
  return Math.hypot(p.x - q.x, p.y - q.y) < (isCoarse() ? 22 : 10);
}

const isCoarse = (): boolean => matchMedia('(pointer: coarse)').matches;

function MapFrame() {
  const isOff = line.value === 'offline';
  const place = waterway.value;
  return (
    <>
      {isOff && <div class="offline-frame" aria-hidden="true" />}
      {!zonesFault.value && !zones.value && (
        <p class="map-note is-coming" role="status">
          {words.live.mapComing}
        </p>
      )}
      {zonesFault.value && (
        <div class="map-note" role="status">
          {zonesFault.value === 'none' ? words.live.noMap : words.live.mapFault(zonesFault.value)}
          {zonesFault.value === 'none' && place && may('manager') && (
            <div class="rows">
              <a class="button is-plain" href={pathOf('map', place.id, '?panel=import')}>
                {words.edit.import}
              </a>
              <a class="button is-plain" href={pathOf('map', place.id)}>
                {words.live.draw}
              </a>
            </div>
          )}
        </div>
      )}
      {!zonesFault.value && place && boatCount.value === 0 && line.value !== 'connecting' && <NoBoats />}
    </>
  );
}

/** Since when no boat was heard, and how the sources are. */
function NoBoats() {
  const heard = useLoaded((signal) => ask<HeardSource[]>('/sources', { signal }), []);
  const sources = heard.value;
  const silent = sources?.filter(isSilent).length ?? 0;
  const how = sources && `${words.admin.title}: ${words.admin.sources(sources.length - silent, silent)}`;
  return (
    <p class="map-note" role="status">
      {newestFix.value
        ? words.live.noBoatsSince(clockShortZoned(newestFix.value, zone.value))
        : `${words.live.noBoats} ${words.live.noBoatsNext}`}{' '}
      {!newestFix.value && <a href={pathOf('review', here.value)}>{words.live.reviewInstead}</a>}{' '}
      {may('admin') ? <a href={pathOf('admin', 'sources')}>{how}</a> : how}
    </p>
  );
}

function Conditions() {
  const now = waterway.value?.conditions;
  if (!now?.visibility_m) return null;
  if (now.until && msOf(now.until) < secondNow.value) return null;
  return (
    <div class="strip-note is-warn" role="status">
      {words.conditions(
        distanceText(now.visibility_m, units.value.distance),
        now.weather?.replace('_', ' ') ?? null,
        now.until ? clockShortZoned(msOf(now.until), zone.value) : null,
        now.by ?? null,
      )}
    </div>
  );
}

function Tip({ x, y, boat }: { x: number; y: number; boat: BoatNow }) {
  const u = units.value;
  const limit = boat.limit;
  return (
    <div class="tip" style={{ left: `${x + 14}px`, top: `${y + 14}px` }}>
      <b>{nameOf(boat)}</b>
      <span>
        {boat.sog_mps === null ? words.noData : speedText(boat.sog_mps, u.speed, limit?.speed_mps ?? null)}
        {limit ? ` / ${limitText(limit.speed_mps, u.speed)}` : ''}
      </span>
      {limit && <span>{limit.reason}</span>}
      <span>{words.live.ago(age(ageOf(boat)))}</span>
    </div>
  );
}

/** How much a boat needs someone: 3 for a breach, 2 for a possible one, 1 for a weak lead or one seen to. */
function needOf(boat: BoatNow): number {
  const finding = foremost(boat, findings.value);
  if (!finding || !needsSomeone(finding)) return boat.open.length ? 1 : 0;
  return finding.verdict === 'breach' ? 3 : 2;
}

/** A second tab stop on the map: arrows walk the boats in the order of what needs someone. */
function Walker({ onChoose }: { onChoose: (id: string) => void }) {
  const [id, setId] = useState<string | null>(null);
  const [isOn, setOn] = useState(false);
  // Sorted only while somebody walks.
  const list = !isOn
    ? []
    : [...boats.values()].sort(
        (a, b) => needOf(b) - needOf(a) || b.step - a.step || nameOf(a).localeCompare(nameOf(b)),
      );
  const at = list.findIndex((one) => one.id === id);
  const boat = list[at];
  const walk = (event: KeyboardEvent): void => {
    const by =
      event.key === 'ArrowRight' || event.key === 'ArrowDown'
        ? 1
        : event.key === 'ArrowLeft' || event.key === 'ArrowUp'
          ? -1
          : 0;
    if (by && list.length) {
      event.preventDefault();
      setId(list[(Math.max(at, by > 0 ? -1 : 0) + by + list.length) % list.length]!.id);
    } else if (event.key === 'Enter' && boat) onChoose(boat.id);
  };
  return (
    <button
      type="button"
      class="walker"
      onFocus={() => setOn(true)}
      onBlur={() => setOn(false)}
      onKeyDown={walk}
      onClick={() => boat && onChoose(boat.id)}
      aria-label={words.live.walk}
    >
      <span aria-live="polite">
        {boat
          ? `${nameOf(boat)}, ${boat.sog_mps === null ? words.noData : speedText(boat.sog_mps, units.value.speed)}`
          : words.live.walk}
      </span>
    </button>
  );
}
