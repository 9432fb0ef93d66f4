/** What an officer does to the lake from the map: flag, swimmer, tow, visibility. In force when the daemon answers. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ask, ApiError } from '../api/client';
import type { Mark } from '../api/types';
import { distance, isWithin } from '../map/ground';
import { shownMap } from '../map/view';
import { zones } from '../map/zones';
import { boats, nameOf } from '../store/boats';
import { now, secondNow } from '../store/clock';
import { chosenBoat, marks, may, notice, units, waterway, zone } from '../store/store';
import { line } from '../stream/live';
import { clock, clockShort, isoOf, msOf, span } from '../time';
import { distanceText, metresOf } from '../units';
import { words } from '../words/en';
import { Button, Choice, Dialog } from '../ui/parts';
import { myPlace } from './controls';

type Doing = 'dive_flag' | 'swimmer' | 'tow' | 'visibility';
export const doing = signal<Doing | null>(null);
/** On the phone the actions are behind one button. */
export const isActionMenuOpen = signal(false);
/** The mark that was touched. */
export const chosenMark = signal<string | null>(null);

/** Whether a click on the map is a place for a mark. */
export const isPlacing = (): boolean => doing.value === 'dive_flag' || doing.value === 'swimmer';
const place = signal<{ lat: number; lon: number } | null>(null);
export const setPlace = (lat: number, lon: number): void => { place.value = { lat, lon }; };

export function failed(cause: unknown): void {
  const isOffline = cause instanceof ApiError && cause.isOffline;
  notice.value = { text: isOffline ? words.line.needs : words.outcomes.failed((cause as Error).message), isError: true };
}

export function ActionBar() {
  if (!may('officer')) return null;
  const a = words.actions;
  const isDown = line.value === 'offline' || line.value === 'reconnecting';
  const start = (what: Doing): void => {
    place.value = null;
    doing.value = doing.value === what ? null : what;
    isActionMenuOpen.value = false;
  };
  return (
    <div class="action-bar panel-float" role="toolbar" aria-label={words.outcomes.more}>
      {([['dive_flag', 'flag', a.dive], ['swimmer', 'swimmer', a.swimmer], ['tow', 'tow', a.tow], ['visibility', 'fog', a.visibility]] as const).map(([what, icon, label]) => (
        <Button key={what} kind="quiet" icon={icon} aria-pressed={doing.value === what} aria-disabled={isDown} title={isDown ? words.line.needs : undefined} onClick={() => !isDown && start(what)}>{label}</Button>
      ))}
    </div>
  );
}

/** The panel of the action under way. */
export function ActionPanel() {
  switch (doing.value) {
    case 'dive_flag':
    case 'swimmer':
      return <MarkPanel key={doing.value} kind={doing.value} />;
    case 'tow':
      return <TowPanel />;
    case 'visibility':
      return <VisibilityDialog onClose={() => (doing.value = null)} />;
    default:
      return chosenMark.value ? <MarkInForce id={chosenMark.value} /> : null;
  }
}

/** Spans a mark may last; sunset only while it is ahead. */
function spans(kind: string): (readonly [string, string])[] {
  const s = words.actions.spans;
  const sunset = waterway.value?.sun ? msOf(waterway.value.sun.sunset) : NaN;
  const list: (readonly [string, string])[] = kind === 'swimmer' ? [['15', s.m15], ['30', s.m30], ['60', s.h1]] : [['30', s.m30], ['60', s.h1], ['120', s.h2]];
  return sunset > now() ? [...list, ['sunset', s.sunset]] : list;
}

function MarkPanel({ kind }: { kind: 'dive_flag' | 'swimmer' }) {
  const a = words.actions;
  const [length, setLength] = useState(kind === 'swimmer' ? '15' : '30');
  const [isBusy, setBusy] = useState(false);
  const handle = shownMap.value;
  const chosen = chosenBoat.value ? boats.get(chosenBoat.value) : undefined;
  const target = (): { lat: number; lon: number } => {
    if (place.value) return place.value;
    const centre = handle!.map.getCenter();
    return { lat: centre.lat, lon: centre.lng };
  };
  const warning = handle && place.value ? warn(place.value, kind) : null;
  const putOut = async (): Promise<void> => {
    if (!waterway.value || !handle) return;
    const until = length === 'sunset' && waterway.value.sun?.sunset ? waterway.value.sun.sunset : isoOf(now() + Number(length) * 60_000);
    setBusy(true);
    try {
      const mark = await putMark(kind, target(), until);
      doing.value = null;
      notice.value = { text: a.inForce(a.markName(kind), clock(now(), zone.value)), action: { label: words.undo, run: () => void takeIn(mark) } };
    } catch (cause) {
      failed(cause);
    }
    setBusy(false);
  };
  return (
    <section class="act-panel panel-float" aria-label={a.markName(kind)}>
      <h2>{a.markName(kind)}</h2>
      <p class="is-second">{place.value ? `${place.value.lat.toFixed(5)}, ${place.value.lon.toFixed(5)}` : a.place}</p>
      {(myPlace.value || chosen) && (
        <div class="chips">
          {myPlace.value && <Button onClick={() => (place.value = myPlace.value)}>{a.myPlace(distanceText(myPlace.value.error_m, units.value.distance))}</Button>}
          {chosen && <Button onClick={() => setPlace(chosen.lat, chosen.lon)}>{a.atBoat(nameOf(chosen))}</Button>}
        </div>
      )}
      {warning && <p class="is-warning">{warning}</p>}
      <Choice label={a.until} options={spans(kind)} value={length} onChange={setLength} />
      <div class="rows">
        <Button kind="primary" disabled={isBusy} onClick={() => void putOut()}>{a.putOut}</Button>
        <Button onClick={() => (doing.value = null)}>{words.cancel}</Button>
      </div>
    </section>
  );
}

/** Puts a mark out; the answer comes when it is in force. */
async function putMark(kind: string, at: { lat: number; lon: number }, until: string | null): Promise<Mark> {
  const { id, t } = await ask<{ id: string; t: string }>('/marks', { method: 'POST', body: { kind, lat: at.lat, lon: at.lon, until } });
  const mark: Mark = { id, kind, lat: at.lat, lon: at.lon, until, since: t };
  if (!marks.value.some((one) => one.id === id)) marks.value = [...marks.value, mark];
  return mark;
}

/** Said before, not refused: outside the water, or a second flag within the distance of another. */
function warn(at: { lat: number; lon: number }, kind: string): string | null {
  const water = zones.value?.features.find((feature) => feature.properties?.derived === 'water');
  if (water && !isWithin(water, [at.lon, at.lat])) return words.actions.outside;
  const strip = waterway.value?.limits.strip_m ?? 0;
  const isDouble = marks.value.some((mark) => mark.kind === kind && mark.lat !== null && mark.lon !== null && distance([mark.lon, mark.lat], [at.lon, at.lat]) < strip);
  return isDouble ? words.actions.doubled : null;
}

/** The cross in the middle of the map, or where it was clicked. */
export function PlaceCross() {
  const handle = shownMap.value;
  if (!isPlacing() || !handle) return null;
  void secondNow.value;
  const at = place.value && handle.map.project([place.value.lon, place.value.lat]);
  return <div class="place-cross" aria-hidden="true" style={at ? { left: `${at.x}px`, top: `${at.y}px` } : { left: '50%', top: '50%' }} />;
}

async function takeIn(mark: Mark): Promise<void> {
  try {
    await ask(`/marks/${encodeURIComponent(mark.id)}`, { method: 'DELETE' });
    marks.value = marks.value.filter((one) => one.id !== mark.id);
    chosenMark.value = null;
    const { lat, lon } = mark;
    const again = lat === null || lon === null ? undefined : { label: words.undo, run: () => void putMark(mark.kind, { lat, lon }, mark.until).catch(failed) };
    notice.value = { text: words.actions.taken(words.actions.markName(mark.kind)), action: again };
  } catch (cause) {
    failed(cause);
  }
}

async function extend(mark: Mark): Promise<void> {
  const until = isoOf(Math.max(now(), mark.until ? msOf(mark.until) : 0) + 30 * 60_000);
  try {
    await ask(`/marks/${encodeURIComponent(mark.id)}`, { method: 'PATCH', body: { until } });
    marks.value = marks.value.map((one) => (one.id === mark.id ? { ...one, until } : one));
  } catch (cause) {
    failed(cause);
  }
}

function MarkInForce({ id }: { id: string }) {
  const mark = marks.value.find((one) => one.id === id);
  if (!mark) return null;
  const a = words.actions;
  const left = mark.until ? (msOf(mark.until) - secondNow.value) / 1000 : null;
  return (
    <section class="act-panel panel-float" aria-label={a.markName(mark.kind)}>
      <h2>{a.markName(mark.kind)}</h2>
      <p class="is-second">{[mark.since ? a.inForce('', clock(msOf(mark.since), zone.value)).trim() : '', left === null ? '' : a.left(span(left)), mark.by ?? ''].filter(Boolean).join(', ')}</p>
      <div class="rows">
        {may('officer') && <Button kind="primary" onClick={() => void takeIn(mark)}>{a.takeIn}</Button>}
        {may('officer') && <Button onClick={() => void extend(mark)}>{a.extend}</Button>}
        <Button onClick={() => (chosenMark.value = null)}>{words.close}</Button>
      </div>
    </section>
  );
}

/** Marks of this user that end within five minutes are asked about. */
export function EndingSoon() {
  if (!may('officer')) return null;
  const soon = marks.value.find((mark) => mark.until && msOf(mark.until) - secondNow.value < 300_000 && msOf(mark.until) > secondNow.value);
  if (!soon) return null;
  const a = words.actions;
  return (
    <div class="strip-note" role="status">
      <span>{a.markName(soon.kind)}: {a.left(span((msOf(soon.until!) - secondNow.value) / 1000))}</span>
      <Button onClick={() => void extend(soon)}>{a.extend}</Button>
    </div>
  );
}

function TowPanel() {
  const a = words.actions;
  const boat = chosenBoat.value ? boats.get(chosenBoat.value) : undefined;
  const unit = units.value.distance;
  const [rope, setRope] = useState(unit === 'ft' ? '75' : '23');
  const [persons, setPersons] = useState('1');
  const declare = async (state: 'up' | 'down'): Promise<void> => {
    try {
      await ask(`/vessels/${encodeURIComponent(boat!.id)}/tow`, { method: 'POST', body: { state, rope_m: metresOf(Number(rope), unit), persons: Number(persons) } });
      notice.value = { text: a.towSet(nameOf(boat!)) };
    } catch (cause) {
      failed(cause);
    }
  };
  const end = async (): Promise<void> => {
    try {
      await ask(`/vessels/${encodeURIComponent(boat!.id)}/tow`, { method: 'DELETE' });
      notice.value = { text: a.towEnded(nameOf(boat!)) };
      doing.value = null;
    } catch (cause) {
      failed(cause);
    }
  };
  return (
    <section class="act-panel panel-float" aria-label={a.tow}>
      <h2>{boat ? `${a.startTow}: ${nameOf(boat)}` : a.tow}</h2>
      {!boat && <p class="is-second">{a.chooseBoat}</p>}
      {boat && (
        <>
          <div class="rows">
            <label class="field"><span>{a.rope} ({unit})</span><input type="number" min={1} max={400} value={rope} onInput={(event) => setRope(event.currentTarget.value)} /></label>
            <label class="field"><span>{a.persons}</span><input type="number" min={1} max={6} value={persons} onInput={(event) => setPersons(event.currentTarget.value)} /></label>
          </div>
          <div class="rows is-large">
            <Button kind="primary" onClick={() => void declare('up')}>{a.up}</Button>
            <Button kind="primary" onClick={() => void declare('down')}>{a.down}</Button>
          </div>
        </>
      )}
      <div class="rows">
        {boat?.tow && <Button onClick={() => void end()}>{a.endTow}</Button>}
        <Button onClick={() => (doing.value = null)}>{words.close}</Button>
      </div>
    </section>
  );
}

/** The one live action that confirms: it changes what all boats are judged by. */
function VisibilityDialog({ onClose }: { onClose: () => void }) {
  const a = words.actions;
  const unit = units.value.distance;
  const [weather, setWeather] = useState('fog');
  const [far, setFar] = useState(unit === 'ft' ? '150' : '50');
  const place_ = waterway.value;
  const until = now() + 30 * 60_000;
  const underWay = [...boats.values()].filter((boat) => boat.state === 'under_way').length;
  const set = async (): Promise<void> => {
    try {
      await ask(`/waterways/${encodeURIComponent(place_!.id)}/conditions`, {
        method: 'POST', body: { visibility_m: metresOf(Number(far), unit), weather, until: isoOf(until) },
      });
      notice.value = { text: a.conditionsSet };
      onClose();
    } catch (cause) {
      failed(cause);
    }
  };
  return (
    <Dialog title={a.visibility} onClose={onClose}>
      <Choice label={a.weather} options={Object.entries(a.weathers)} value={weather} onChange={setWeather} />
      <label class="field"><span>{a.distance} ({unit})</span><input type="number" min={1} value={far} onInput={(event) => setFar(event.currentTarget.value)} /></label>
      <p>{a.confirm(underWay, `${clockShort(until, zone.value)}`)}</p>
      <div class="rows"><Button kind="primary" onClick={() => void set()}>{a.set}</Button><Button onClick={onClose}>{words.cancel}</Button></div>
    </Dialog>
  );
}
