/** The boats of the map as a table. */
import { ageOf, boats, boatsVersion, nameOf } from '../store/boats';
import { secondNow } from '../store/clock';
import { chosenBoat, units } from '../store/store';
import { age } from '../time';
import { distanceText, limitText, speedText } from '../units';
import { words } from '../words/en';

const MOST = 300;

export function BoatTable({ onChoose }: { onChoose: (id: string) => void }) {
  void boatsVersion.value;
  const at = secondNow.value;
  const u = units.value;
  const list = [...boats.values()].sort((a, b) => b.open.length - a.open.length || nameOf(a).localeCompare(nameOf(b)));
  const c = words.live.columns;
  return (
    <div class="findings-list">
      <table class="table">
        <thead>
          <tr>
            <th>{c.boat}</th>
            <th class="is-number">{c.speed}</th>
            <th class="is-number">{c.limit}</th>
            <th class="is-number">{c.nearest}</th>
            <th class="is-number">{c.age}</th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, MOST).map((boat) => (
            <tr key={boat.id} aria-selected={boat.id === chosenBoat.value}>
              <td>
                <button type="button" class="link" onClick={() => onChoose(boat.id)}>
                  {nameOf(boat)}
                </button>
              </td>
              <td class="is-number">
                {boat.sog_mps === null ? '–' : speedText(boat.sog_mps, u.speed, boat.limit?.speed_mps ?? null)}
              </td>
              <td class="is-number">{boat.limit ? limitText(boat.limit.speed_mps, u.speed) : '–'}</td>
              <td class="is-number">{boat.nearest ? distanceText(boat.nearest.distance_m, u.distance) : '–'}</td>
              <td class="is-number">{age(ageOf(boat, at))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > MOST && <p class="is-second list-note">{words.live.crowd(list.length, MOST)}</p>}
    </div>
  );
}
