/** What the draft changes, feature by feature, with before and after. */
import type { Feature } from 'geojson';
import { distance } from '../map/ground';
import { units } from '../store/store';
import { distanceText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { corners, type Change } from './parts';
import { middleOf } from './shape';
import { base, change, changes, keyOf, source } from './state';
import { fitTo, showFeature } from './show';

/** How a geometry differs: "moved 12 ft", "3 of 14 corners moved, at most 12 ft", "14 corners, now 15". */
export function geometryInWords(before: Feature | null, after: Feature | null): string {
  const c = words.edit.diff;
  if (!before?.geometry || !after?.geometry) return c.shape;
  const unit = units.value.distance;
  const [old, fresh] = [corners(before.geometry), corners(after.geometry)];
  if (before.geometry.type !== after.geometry.type) return `${before.geometry.type} → ${after.geometry.type}`;
  if (old.length !== fresh.length) return c.corners(old.length, fresh.length);
  const gaps = old.map((one, i) => distance(one.at, fresh[i]!.at));
  const most = Math.max(...gaps);
  const moved = gaps.filter((gap) => gap > 0.005).length;
  const [a, b] = [middleOf(before.geometry), middleOf(after.geometry)];
  if (moved === old.length && a && b && gaps.every((gap) => Math.abs(gap - gaps[0]!) < 0.02))
    return c.moved(distanceText(distance(a, b), unit));
  return c.cornersMoved(moved, old.length, distanceText(most, unit));
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** Takes one feature back to what is published. */
function putBack(one: Change): void {
  const map = source.value;
  if (!map) return;
  const { before } = one;
  if (one.what === 'added') change({ ...map, features: map.features.filter((f, i) => keyOf(f, i) !== one.id) });
  else if (one.what === 'changed' && before)
    change({ ...map, features: map.features.map((f, i) => (keyOf(f, i) === one.id ? before : f)) });
  else if (before) {
    // Behind the feature that it followed, so that the order of the file stays.
    const order = (base.value?.features ?? []).map(keyOf);
    const ahead = new Set(order.slice(0, order.indexOf(one.id)));
    const at = map.features.findLastIndex((f, i) => ahead.has(keyOf(f, i))) + 1;
    change({ ...map, features: [...map.features.slice(0, at), before, ...map.features.slice(at)] });
  }
}

const SIGN = { added: '+', removed: '−', changed: '~' };

/** One feature that differs: what it is, and what was and is. */
export function ChangeBody({ one }: { one: Change }) {
  const e = words.edit;
  return (
    <>
      <div class="change-head">
        <span class="effect-sign">{SIGN[one.what]}</span>
        <b>{one.id}</b>
        <span class="is-second">
          {words.live.kind(String((one.after ?? one.before)?.properties?.kind ?? ''))}, {e[one.what]}
        </span>
      </div>
      {one.what === 'changed' && (
        <table class="table before-after-table">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{e.diff.what}</span>
              </th>
              <th scope="col">{e.diff.before}</th>
              <th scope="col">{e.diff.after}</th>
            </tr>
          </thead>
          <tbody>
            {one.isGeometry && (
              <tr>
                <th scope="row">{e.diff.geometry}</th>
                <td colSpan={2}>{geometryInWords(one.before, one.after)}</td>
              </tr>
            )}
            {one.keys.map((key) => (
              <tr key={key}>
                <th scope="row">{e.form[key as 'name'] ?? key}</th>
                <td>{shown(one.before?.properties?.[key])}</td>
                <td>{shown(one.after?.properties?.[key])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

export function ChangeList() {
  const list = changes.value;
  const e = words.edit;
  if (!list.length) return <p class="empty">{e.noChanges}</p>;
  return (
    <ul class="change-list">
      {list.map((one) => (
        <li key={one.id}>
          <ChangeBody one={one} />
          <div class="rows">
            <Button onClick={() => (one.after ? showFeature(one.id) : fitTo(one.before))}>{e.show}</Button>
            <Button onClick={() => putBack(one)}>{e.putBack}</Button>
          </div>
        </li>
      ))}
    </ul>
  );
}
