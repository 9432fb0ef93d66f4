/** The big line of the chosen boat: who, how fast, against which limit and why, how far from what. */
import type { ComponentChildren } from 'preact';
import type { Verdict } from '../api/types';
import { standingOf } from '../map/fleet';
import { ageClass, ageOf, boats, boatsVersion, nameOf, type BoatNow } from '../store/boats';
import { secondNow } from '../store/clock';
import { chosenBoat, findings, followed, may, shownUnits, units } from '../store/store';
import { age } from '../time';
import { distanceNumber, distanceText, limitNumber, speedNumber, speedText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { pathOf, setQuery } from '../route';

/** The chosen boat, newest state. */
export function useChosen(): BoatNow | null {
  void boatsVersion.value;
  return (chosenBoat.value && boats.get(chosenBoat.value)) || null;
}

export function stateWords(boat: BoatNow): string {
  if (boat.tow) return words.live.towing;
  return boat.state === 'at_rest'
    ? words.live.atRest
    : boat.state === 'at_dock'
      ? words.live.atDock
      : boat.state === 'trolling'
        ? words.live.trolling
        : '';
}

/** The value in the rulebook's unit, and in the personal one in brackets. */
function inBrackets(text: string, isOther: boolean): string {
  return isOther ? ` (${text})` : '';
}

function Readout({
  label,
  value,
  unit,
  note,
  verdict,
}: {
  label: string;
  value: string;
  unit?: string;
  note: ComponentChildren;
  verdict?: Verdict | null;
}) {
  return (
    <div class="readout">
      <span class="readout-label">{label}</span>
      <span class={verdict ? `readout-value is-${verdict}` : 'readout-value'}>
        <b>{value}</b>
        {unit && <small>{unit}</small>}
      </span>
      <span class="readout-note">{note}</span>
    </div>
  );
}

export function BoatLine() {
  const boat = useChosen();
  if (!boat) return null;
  const u = units.value;
  const mine = shownUnits.value;
  const at = secondNow.value;
  const ageing = ageClass(boat, at);
  const l = words.live;
  const limit = boat.limit?.speed_mps ?? null;
  // Over the limit, in the colour of its open finding, so that possible and breach never look alike.
  const { halo } = standingOf(boat, findings.value, u);
  const verdict: Verdict | null =
    limit !== null && boat.sog_mps !== null && boat.sog_mps <= limit
      ? null
      : halo === 'halo-breach' || halo === 'halo-thin'
        ? 'breach'
        : halo === 'halo-possible'
          ? 'possible'
          : null;
  const accuracy = boat.accuracy_m === null ? null : distanceText(boat.accuracy_m, u.distance);
  const follow = (): void => {
    followed.value = followed.value === boat.id ? null : boat.id;
  };
  return (
    <section class="boat-line" aria-label={nameOf(boat)}>
      <div class="boat-who">
        <h2>{nameOf(boat)}</h2>
        <span>
          {[l.class(boat.class), boat.length_m ? distanceText(boat.length_m, u.distance) : '', stateWords(boat)]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <span class={ageing === 'fresh' ? '' : 'is-stale'}>{l.fix(age(ageOf(boat, at)), accuracy)}</span>
        {boat.tow && boat.tow.rope_m !== null && (
          <span>
            {l.tow(boat.tow.state.replace('_', ' '), distanceText(boat.tow.rope_m, u.distance), boat.tow.by ?? null)}
          </span>
        )}
        {boat.permits.length > 0 && <span class="is-permit">{l.permit(boat.permits.join(', '))}</span>}
      </div>
      <Readout
        label={l.speed}
        value={boat.sog_mps === null ? '–' : speedNumber(boat.sog_mps, u.speed, limit)}
        unit={u.speed}
        verdict={verdict}
        note={
          boat.sog_mps === null ? (
            words.noData
          ) : (
            <>GPS{inBrackets(speedText(boat.sog_mps, mine.speed), mine.speed !== u.speed)}</>
          )
        }
      />
      <Readout
        label={l.limitHere}
        value={limit === null ? '–' : limitNumber(limit, u.speed)}
        unit={limit === null ? undefined : u.speed}
        note={boat.limit ? boat.limit.reason : boat.not_judged ? l.notJudged(boat.not_judged) : l.noLimit}
      />
      {boat.nearest && (
        <Readout
          label={l.nearest}
          value={distanceNumber(boat.nearest.distance_m, u.distance)}
          unit={u.distance}
          note={
            <>
              {l.to(`${l.kind(boat.nearest.kind)} ${boat.nearest.feature}`)}
              {inBrackets(distanceText(boat.nearest.distance_m, mine.distance), mine.distance !== u.distance)}
            </>
          }
        />
      )}
      <div class="boat-acts">
        <Button aria-pressed={followed.value === boat.id} onClick={follow}>
          {followed.value === boat.id ? l.unfollow : l.follow}
        </Button>
        {may('officer') && (
          <a class="button is-plain" href={pathOf('vessels', boat.id)}>
            {l.track}
          </a>
        )}
        <Button
          kind="quiet"
          icon="close"
          aria-label={words.close}
          onClick={() => {
            chosenBoat.value = null;
            setQuery({ v: null }, true);
          }}
        />
      </div>
    </section>
  );
}
