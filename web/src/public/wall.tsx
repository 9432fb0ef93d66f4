/** A display on a wall: the map and where boats are, under names of the day that tell nobody whose they are. */
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { Boat, Waterway } from '../api/types';
import { showLive } from '../map/livemap';
import { MapView } from '../map/view';
import type { Zones } from '../map/zones';
import { boatCount, forgetBoats, hearBoats } from '../store/boats';
import { secondNow } from '../store/clock';
import { clock, zoneLetters } from '../time';
import { words } from '../words/en';
import { Scale, SpeedKey } from '../live/controls';

type Nameless = Omit<Boat, 'permits' | 'open' | 'tow' | 'nearest'>;

const AGAIN_MS = 2000;
const LATE_MS = 15_000;

export function Wall({ place, zones }: { place: Waterway; zones: Zones | null }) {
  const w = words.public.wall;
  const [heardAt, setHeardAt] = useState<number | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const { boats } = await ask<{ boats: Nameless[] }>(`/public/waterways/${encodeURIComponent(place.id)}/wall`);
        if (!isHere) return;
        const whole = boats.map((one): Boat => ({ ...one, permits: [], open: [], tow: null, nearest: null }));
        hearBoats(whole, [], true);
        setHeardAt(Date.now());
        setFault(null);
      } catch (cause) {
        if (isHere) setFault((cause as Error).message);
      }
      if (isHere) timer = setTimeout(() => void look(), AGAIN_MS);
    };
    void look();
    return () => {
      isHere = false;
      clearTimeout(timer);
      forgetBoats();
    };
  }, [place.id]);
  const at = secondNow.value;
  const isLate = heardAt !== null && Date.now() - heardAt > LATE_MS;
  return (
    <div class="wall">
      <header class="wall-head">
        <h1>{place.name ?? place.id}</h1>
        <span>{w.boats(boatCount.value)}</span>
        <span class="space" />
        {(fault || isLate) && (
          <span class="is-warning" role="status">
            {fault ?? w.late}
          </span>
        )}
        <time>
          {clock(at, place.time_zone)} {zoneLetters(at, place.time_zone)}
        </time>
      </header>
      <MapView label={words.live.map} zones={zones} onReady={(handle) => showLive(handle, () => undefined, false)}>
        <div class="map-bottom">
          <p class="map-note wall-note">{w.how}</p>
          <div class="map-corner">
            <Scale />
            <SpeedKey />
          </div>
        </div>
      </MapView>
    </div>
  );
}

/** Where a manager opens the wall display, or closes it. */
export function WallSwitch({ place, isOpen, onChange }: { place: Waterway; isOpen: boolean; onChange: () => void }) {
  const w = words.public.wall;
  const [fault, setFault] = useState<string | null>(null);
  const set = async (is_open: boolean): Promise<void> => {
    try {
      await ask(`/waterways/${encodeURIComponent(place.id)}/wall`, { method: 'PUT', body: { is_open } });
      setFault(null);
      onChange();
    } catch (cause) {
      setFault((cause as Error).message);
    }
  };
  return (
    <section class="wall-switch">
      <h2>{w.title}</h2>
      <p class="is-second">{isOpen ? w.isOpen : w.isClosed}</p>
      <button type="button" class="button is-plain" onClick={() => void set(!isOpen)}>
        {isOpen ? w.close : w.open}
      </button>
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}
