/** Length, bearing and distance to shore at the pointer while something is drawn; and on the phone the fixed cross. */
import { useEffect, useState } from 'preact/hooks';
import { bearing, distance, nearestOn } from '../map/ground';
import { shownMap } from '../map/view';
import { units } from '../store/store';
import { distanceText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { isPhone } from '../ui/size';
import { lastCorner, takeDrawn } from './draw';
import { derived, tool } from './state';

const isDrawing = (): boolean => tool.value === 'point' || tool.value === 'line' || tool.value === 'area';

export function DrawMeasure() {
  const [at, setAt] = useState<{ x: number; y: number; lon: number; lat: number } | null>(null);
  const handle = shownMap.value;
  const isOn = isDrawing();
  useEffect(() => {
    if (!handle || !isOn) return setAt(null);
    const move = (event: { point: { x: number; y: number }; lngLat: { lng: number; lat: number } }): void =>
      setAt({ x: event.point.x, y: event.point.y, lon: event.lngLat.lng, lat: event.lngLat.lat });
    handle.map.on('mousemove', move);
    return () => {
      handle.map.off('mousemove', move);
    };
  }, [handle, isOn]);
  if (!at || !isOn) return null;
  const unit = units.value.distance;
  const here = [at.lon, at.lat];
  const from = lastCorner();
  const water = derived.value?.features.find((one) => one.properties?.derived === 'water');
  const shore = water ? nearestOn(water.geometry, here) : null;
  return (
    <div class="tip" style={{ left: `${at.x + 14}px`, top: `${at.y + 14}px` }}>
      {from && (
        <b>
          {distanceText(distance(from, here), unit)} · {Math.round(bearing(from, here))}°
        </b>
      )}
      {shore && <span>{words.edit.toShore(distanceText(distance(shore, here), unit))}</span>}
      <span>
        {at.lat.toFixed(5)}, {at.lon.toFixed(5)}
      </span>
    </div>
  );
}

/** The cross in the middle of the phone's map. */
export const FixedCross = () =>
  isPhone.value && tool.value === 'point' ? <div class="place-cross is-middle" aria-hidden="true" /> : null;

/** On the phone the map moves under a fixed cross, and this sets the point. */
export function PlaceHere() {
  const handle = shownMap.value;
  if (!isPhone.value || tool.value !== 'point' || !handle) return null;
  const place = (): void => {
    const { lng, lat } = handle.map.getCenter();
    takeDrawn({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Point', coordinates: [Number(lng.toFixed(7)), Number(lat.toFixed(7))] },
    });
    tool.value = 'select';
  };
  return (
    <Button kind="primary" onClick={place}>
      {words.edit.placeHere}
    </Button>
  );
}
