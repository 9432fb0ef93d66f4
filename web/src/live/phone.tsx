/** The chosen finding or boat on the phone: one number readable at arm's length, two buttons. */
import { bearing, distance } from '../map/ground';
import { Sentence, StateChip, Verdict, boatName } from '../findings/card';
import { OutcomeButtons } from '../findings/outcomes';
import { boats } from '../store/boats';
import { chosenFinding, findings, units } from '../store/store';
import { distanceText, limitText, speedNumber } from '../units';
import { words } from '../words/en';
import { BoatLine, useChosen } from './boatline';
import { myPlace } from './controls';

function fromMe(id: string): string {
  const me = myPlace.value;
  const boat = boats.get(id);
  if (!me || !boat) return '';
  const [a, b] = [
    [me.lon, me.lat],
    [boat.lon, boat.lat],
  ];
  return ` · ${words.live.fromYou(distanceText(distance(a, b), units.value.distance), Math.round(bearing(a, b)))}`;
}

export function PhoneFinding() {
  const finding = chosenFinding.value ? findings.value.get(chosenFinding.value) : undefined;
  const boat = useChosen();
  if (!finding) return boat ? <BoatLine /> : null;
  const limit = finding.limit?.speed_mps;
  const speed = boat && boat.id === finding.vessel && finding.status === 'open' ? boat.sog_mps : finding.peak.speed_mps;
  return (
    <section class="phone-finding">
      <p class="phone-verdict">
        <Verdict finding={finding} />
        <span class="space" />
        <StateChip finding={finding} />
      </p>
      {limit !== undefined && speed !== null && speed !== undefined ? (
        <p class="phone-number">
          <b class={`is-${finding.verdict}`}>{speedNumber(speed, units.value.speed, limit)}</b> {units.value.speed} ·{' '}
          {words.live.limit} {limitText(limit, units.value.speed)}
        </p>
      ) : (
        <p class="phone-sentence">
          <Sentence text={finding.text} />
        </p>
      )}
      <p>
        {boatName(finding.vessel)}
        {fromMe(finding.vessel)}
        <br />
        <span class="is-second">
          {finding.title} · {finding.citation || finding.clause}
        </span>
      </p>
      <OutcomeButtons finding={finding} hasReview />
    </section>
  );
}
