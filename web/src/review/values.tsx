/** The values of the charts as a table: the fixes of the window, the one at the cursor marked. */
import { useState } from 'preact/hooks';
import { shownUnits, units, zone } from '../store/store';
import { clockTenths, inUtc, zoneLetters } from '../time';
import { distanceText, limitText, speedIn, speedText } from '../units';
import { words } from '../words/en';
import { cursor, setCursor, shown } from './state';
import type { Track } from './track';

/** Rows at most: more is no help to anyone, and slow. */
const MOST = 200;

export function Values({ track }: { track: Track }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="values" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.review.table}</summary>
      {isOpen && <Table track={track} />}
    </details>
  );
}

function Table({ track }: { track: Track }) {
  const { fixes, limit_reasons } = track.vessel;
  const [from, to] = shown.value;
  const u = shownUnits.value;
  const own = units.value;
  const place = zone.value;
  const c = words.review.columns;
  const first = track.indexAt(from - 1) + 1;
  const last = track.indexAt(to);
  const rows = Array.from({ length: Math.max(0, Math.min(MOST, last - first + 1)) }, (_, k) => first + k);
  const now = track.indexAt(cursor.value);
  const hasErrors = !!fixes.sog_error_mps;
  return (
    <div class="values-rows" tabIndex={0}>
      <table class="table">
        <caption class="unseen">
          {track.name}, {words.review.table}
        </caption>
        <thead>
          <tr>
            <th scope="col">
              {c.time} ({zoneLetters(from, place)})
            </th>
            <th scope="col" class="is-number">
              {c.speed}
            </th>
            {hasErrors && (
              <th scope="col" class="is-number">
                {c.error}
              </th>
            )}
            <th scope="col" class="is-number">
              {c.limit}
            </th>
            <th scope="col">{c.why}</th>
            <th scope="col" class="is-number">
              {c.distance}
            </th>
            <th scope="col">{c.to}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => {
            const t = track.time(i);
            const [sog, limit, gap] = [
              fixes.sog_mps[i] ?? null,
              fixes.limit_mps[i] ?? null,
              fixes.distance_m[i] ?? null,
            ];
            const error = fixes.sog_error_mps?.[i] ?? null;
            return (
              <tr key={i} aria-selected={i === now}>
                <th scope="row">
                  <button type="button" class="link" title={inUtc(t)} onClick={() => setCursor(t)}>
                    {clockTenths(t, place)}
                  </button>
                </th>
                <td class="is-number">
                  {sog === null ? words.noData : speedText(sog, u.speed, limit)}
                  {fixes.is_derived[i] ? ` ${words.review.derived}` : ''}
                </td>
                {hasErrors && (
                  <td class="is-number">
                    {error === null ? '–' : `± ${speedIn(error, u.speed).toFixed(1)} ${u.speed}`}
                  </td>
                )}
                <td class="is-number">{limit === null ? '–' : limitText(limit, own.speed)}</td>
                <td>{limit_reasons[fixes.limit_rule[i] ?? -1]?.reason ?? ''}</td>
                <td class="is-number">{gap === null ? '–' : distanceText(gap, u.distance)}</td>
                <td>{track.featureAt(fixes.nearest[i])?.name ?? ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {last - first + 1 > MOST && <p class="is-second list-note">{words.review.rowsMost(MOST, last - first + 1)}</p>}
    </div>
  );
}
