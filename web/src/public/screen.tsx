/** What applies here, for everybody: zones, limits in force, counts by day. No boats, no names; the wall display apart. */
import { useEffect, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import { ask } from '../api/client';
import type { Waterway } from '../api/types';
import { MapView } from '../map/view';
import { prepare, type Zones } from '../map/zones';
import { pathOf, route } from '../route';
import { hearWaterway, may, me } from '../store/store';
import { clockShort, day, msOf, zoneLetters } from '../time';
import { secondNow } from '../store/clock';
import { distanceText, limitText } from '../units';
import { words } from '../words/en';
import { Failure, Waiting } from '../ui/parts';
import { MapControls, Scale } from '../live/controls';
import { isPhone } from '../ui/size';
import { Wall, WallSwitch } from './wall';
import '../style/tables.css';
import '../style/wall.css';

interface PublicBody {
  waterway: Waterway;
  /** Days with findings, the newest first. */
  counts: { day: string; findings: number; breach: number; possible: number }[];
  zones: FeatureCollection;
  has_wall: boolean;
}

export function PublicScreen() {
  const { id, query } = route.value;
  const isWall = query.get('view') === 'wall';
  const [turn, setTurn] = useState(0);
  const p = words.public;
  const [body, setBody] = useState<PublicBody | null>(null);
  const [map, setMap] = useState<Zones | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (!id) return;
    ask<PublicBody>(`/public/waterways/${encodeURIComponent(id)}`).then(
      (got) => {
        setBody(got);
        setMap(prepare(id, null, got.zones));
        if (!me.value?.role) hearWaterway(got.waterway);
      },
      (cause: Error) => setFault(cause.message),
    );
  }, [id, turn]);
  if (fault) return <Failure title={words.errors.title} text={fault} onRetry={() => location.reload()} />;
  if (!body) return <Waiting />;
  const place = body.waterway;
  if (isWall && body.has_wall) return <Wall place={place} zones={map} />;
  const u = place.units;
  const { limits, sun } = place;
  const at = secondNow.value;
  const isNight = !!sun && msOf(sun.night_from) <= at && at < msOf(sun.night_until);
  return (
    <div class="public">
      <MapView label={words.live.map} zones={map}>
        <div class="map-right">
          <MapControls isPhone={isPhone.value} />
        </div>
        <div class="map-bottom">
          <div class="map-corner">
            <Scale />
          </div>
        </div>
      </MapView>
      <aside class="public-side" aria-label={p.inForce}>
        <h1>{place.name ?? id}</h1>
        <h2>{p.inForce}</h2>
        {limits && (
          <ul class="limits">
            {limits.cap_mps !== null && !isNight && (
              <li>
                <b>{limitText(limits.cap_mps, u.speed)}</b> {p.cap}
              </li>
            )}
            {limits.night_mps !== null && (
              <li>
                <b>{limitText(limits.night_mps, u.speed)}</b> {p.night}
                {sun
                  ? ` (${clockShort(msOf(sun.night_from), place.time_zone)}–${clockShort(msOf(sun.night_until), place.time_zone)} ${zoneLetters(at, place.time_zone)})`
                  : ''}
              </li>
            )}
            {limits.wake_mps !== null && limits.strip_m !== null && (
              <li>
                <b>{limitText(limits.wake_mps, u.speed)}</b> {p.wake(distanceText(limits.strip_m, u.distance))}
              </li>
            )}
          </ul>
        )}
        {body.counts.length > 0 && (
          <>
            <h2>{p.counts}</h2>
            <table class="table">
              <thead>
                <tr>
                  <th>{p.day}</th>
                  <th class="is-number">{p.breach}</th>
                  <th class="is-number">{p.possible}</th>
                </tr>
              </thead>
              <tbody>
                {body.counts.map((one) => (
                  <tr key={one.day}>
                    <td>{day(Date.parse(one.day), 'UTC')}</td>
                    <td class="is-number">{one.breach}</td>
                    <td class="is-number">{one.possible}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
        <p class="is-second">{p.noBoats}</p>
        {isWall && !body.has_wall && <p class="is-warning">{p.wall.isClosed}</p>}
        {body.has_wall && (
          <p>
            <a class="button is-plain" href={pathOf('public', place.id, '?view=wall')}>
              {p.wall.look}
            </a>
          </p>
        )}
        {may('manager') && <WallSwitch place={place} isOpen={body.has_wall} onChange={() => setTurn((n) => n + 1)} />}
      </aside>
    </div>
  );
}
