/** Dive flags and swimmers: put out under the cross or by a click, lengthened, taken in. */
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { Mark } from '../api/types';
import { distance, isWithin } from '../map/ground';
import { shownMap } from '../map/view';
import { zones } from '../map/zones';
import { boats, nameOf } from '../store/boats';
import { now, secondNow } from '../store/clock';
import { chosenBoat, marks, may, notice, units, waterway, zone } from '../store/store';
import { clockZoned, isoOf, msOf, span } from '../time';
import { distanceText } from '../units';
import { words } from '../words/en';
import { Button, Choice } from '../ui/parts';
import { chosenMark, doing, failed, isPlacing, place, setPlace } from './doing';
import { myPlace } from './controls';

/** Spans a mark may last; sunset only while it is ahead. */
function spans(kind: string): (readonly [string, string])[] {
  const s = words.actions.spans;
  const sunset = waterway.value?.sun ? msOf(waterway.value.sun.sunset) : NaN;
  const list: (readonly [string, string])[] =
    kind === 'swimmer'
      ? [
          ['15', s.m15],
          ['30', s.m30],
          ['60', s.h1],
        ]
      : [
          ['30', s.m30],
          ['60', s.h1],
          ['120', s.h2],
        ];
  return sunset > now() ? [...list, ['sunset', s.sunset]] : list;
}

export function MarkPanel({ kind }: { kind: 'dive_flag' | 'swimmer' }) {
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
    const until =
      length === 'sunset' && waterway.value.sun?.sunset
        ? waterway.value.sun.sunset
        : isoOf(now() + Number(length) * 60_000);
    setBusy(true);
    try {
      const mark = await putMark(kind, target(), until);
      doing.value = null;
      notice.value = {
        text: a.inForce(a.markName(kind), clockZoned(now(), zone.value)),
        action: { label: words.undo, run: () => void takeIn(mark) },
      };
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
          {myPlace.value && (
            <Button onClick={() => (place.value = myPlace.value)}>
              {a.myPlace(distanceText(myPlace.value.error_m, units.value.distance))}
            </Button>
          )}
          {chosen && <Button onClick={() => setPlace(chosen.lat, chosen.lon)}>{a.atBoat(nameOf(chosen))}</Button>}
        </div>
      )}
      {warning && <p class="is-warning">{warning}</p>}
      <Choice label={a.until} options={spans(kind)} value={length} onChange={setLength} />
      <div class="rows">
        <Button kind="primary" disabled={isBusy} onClick={() => void putOut()}>
          {a.putOut}
        </Button>
        <Button onClick={() => (doing.value = null)}>{words.cancel}</Button>
      </div>
    </section>
  );
}

/** Puts a mark out; the answer comes when it is in force. */
async function putMark(kind: string, at: { lat: number; lon: number }, until: string | null): Promise<Mark> {
  const { id, t } = await ask<{ id: string; t: string }>('/marks', {
    method: 'POST',
    body: { kind, lat: at.lat, lon: at.lon, until },
  });
  const mark: Mark = { id, kind, lat: at.lat, lon: at.lon, until, since: t };
  if (!marks.value.some((one) => one.id === id)) marks.value = [...marks.value, mark];
  return mark;
}

/** Said before, not refused: outside the water, or a second flag within the distance of another. */
function warn(at: { lat: number; lon: number }, kind: string): string | null {
  const water = zones.value?.features.find((feature) => feature.properties?.derived === 'water');
  if (water && !isWithin(water, [at.lon, at.lat])) return words.actions.outside;
  const strip = waterway.value?.limits.strip_m ?? 0;
  const isDouble = marks.value.some(
    (mark) =>
      mark.kind === kind &&
      mark.lat !== null &&
      mark.lon !== null &&
      distance([mark.lon, mark.lat], [at.lon, at.lat]) < strip,
  );
  return isDouble ? words.actions.doubled : null;
}

/** The cross in the middle of the map, or where it was clicked. */
export function PlaceCross() {
  const handle = shownMap.value;
  if (!isPlacing() || !handle) return null;
  void secondNow.value;
  const at = place.value && handle.map.project([place.value.lon, place.value.lat]);
  return (
    <div
      class="place-cross"
      aria-hidden="true"
      style={at ? { left: `${at.x}px`, top: `${at.y}px` } : { left: '50%', top: '50%' }}
    />
  );
}

async function takeIn(mark: Mark): Promise<void> {
  try {
    await ask(`/marks/${encodeURIComponent(mark.id)}`, { method: 'DELETE' });
    marks.value = marks.value.filter((one) => one.id !== mark.id);
    chosenMark.value = null;
    const { lat, lon } = mark;
    const again =
      lat === null || lon === null
        ? undefined
        : { label: words.undo, run: () => void putMark(mark.kind, { lat, lon }, mark.until).catch(failed) };
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

export function MarkInForce({ id }: { id: string }) {
  const mark = marks.value.find((one) => one.id === id);
  if (!mark) return null;
  const a = words.actions;
  const left = mark.until ? (msOf(mark.until) - secondNow.value) / 1000 : null;
  return (
    <section class="act-panel panel-float" aria-label={a.markName(mark.kind)}>
      <h2>{a.markName(mark.kind)}</h2>
      <p class="is-second">
        {[
          mark.since ? a.inForce('', clockZoned(msOf(mark.since), zone.value)).trim() : '',
          left === null ? '' : a.left(span(left)),
          mark.by ?? '',
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <div class="rows">
        {may('officer') && (
          <Button kind="primary" onClick={() => void takeIn(mark)}>
            {a.takeIn}
          </Button>
        )}
        {may('officer') && <Button onClick={() => void extend(mark)}>{a.extend}</Button>}
        <Button onClick={() => (chosenMark.value = null)}>{words.close}</Button>
      </div>
    </section>
  );
}

/** Marks of this user that end within five minutes are asked about. */
export function EndingSoon() {
  if (!may('officer')) return null;
  const soon = marks.value.find(
    (mark) => mark.until && msOf(mark.until) - secondNow.value < 300_000 && msOf(mark.until) > secondNow.value,
  );
  if (!soon) return null;
  const a = words.actions;
  return (
    <div class="strip-note" role="status">
      <span>
        {a.markName(soon.kind)}: {a.left(span((msOf(soon.until!) - secondNow.value) / 1000))}
      </span>
      <Button onClick={() => void extend(soon)}>{a.extend}</Button>
    </div>
  );
}
