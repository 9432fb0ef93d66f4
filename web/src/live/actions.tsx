/** What an officer does to the lake from the map: flag, swimmer, tow, visibility. In force when the daemon answers. */
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import { boats, nameOf } from '../store/boats';
import { now } from '../store/clock';
import { chosenBoat, may, notice, units, waterway, zone } from '../store/store';
import { line } from '../stream/live';
import { clockShortZoned, isoOf } from '../time';
import { metresOf } from '../units';
import { words } from '../words/en';
import { Button, Choice, Dialog } from '../ui/parts';
import { chosenMark, doing, failed, isActionMenuOpen, place, type Doing } from './doing';
import { MarkInForce, MarkPanel } from './marks';

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
      {(
        [
          ['dive_flag', 'flag', a.dive],
          ['swimmer', 'swimmer', a.swimmer],
          ['tow', 'tow', a.tow],
          ['visibility', 'fog', a.visibility],
        ] as const
      ).map(([what, icon, label]) => (
        <Button
          key={what}
          kind="quiet"
          icon={icon}
          aria-pressed={doing.value === what}
          aria-disabled={isDown}
          title={isDown ? words.line.needs : undefined}
          onClick={() => !isDown && start(what)}
        >
          {label}
        </Button>
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

function TowPanel() {
  const a = words.actions;
  const boat = chosenBoat.value ? boats.get(chosenBoat.value) : undefined;
  const unit = units.value.distance;
  const [rope, setRope] = useState(unit === 'ft' ? '75' : '23');
  const [persons, setPersons] = useState('1');
  const declare = async (state: 'up' | 'down'): Promise<void> => {
    try {
      await ask(`/vessels/${encodeURIComponent(boat!.id)}/tow`, {
        method: 'POST',
        body: { state, rope_m: metresOf(Number(rope), unit), persons: Number(persons) },
      });
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
            <label class="field">
              <span>
                {a.rope} ({unit})
              </span>
              <input
                type="number"
                min={1}
                max={400}
                value={rope}
                onInput={(event) => setRope(event.currentTarget.value)}
              />
            </label>
            <label class="field">
              <span>{a.persons}</span>
              <input
                type="number"
                min={1}
                max={6}
                value={persons}
                onInput={(event) => setPersons(event.currentTarget.value)}
              />
            </label>
          </div>
          <div class="rows is-large">
            <Button kind="primary" onClick={() => void declare('up')}>
              {a.up}
            </Button>
            <Button kind="primary" onClick={() => void declare('down')}>
              {a.down}
            </Button>
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
        method: 'POST',
        body: { visibility_m: metresOf(Number(far), unit), weather, until: isoOf(until) },
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
      <label class="field">
        <span>
          {a.distance} ({unit})
        </span>
        <input type="number" min={1} value={far} onInput={(event) => setFar(event.currentTarget.value)} />
      </label>
      <p>{a.confirm(underWay, clockShortZoned(until, zone.value))}</p>
      <div class="rows">
        <Button kind="primary" onClick={() => void set()}>
          {a.set}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}
