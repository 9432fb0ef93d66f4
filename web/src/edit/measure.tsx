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
import { takeCut } from './reshape';
import { leastOf, shapeOf, sketch } from './sketchline';
import { derived, tool } from './state';

const isDrawing = (): boolean => ['point', 'line', 'area', 'split'].includes(tool.value);

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
  if (!at || !isOn || isPhone.value) return null;
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

/** Whether shapes are drawn under the fixed cross: where a finger would hide the place. */
const hasCross = (): boolean => isPhone.value && isDrawing();

/** The cross in the middle of the phone's map. */
export const FixedCross = () => (hasCross() ? <div class="place-cross is-middle" aria-hidden="true" /> : null);

/** On the phone the map moves under a fixed cross, and this sets the points. */
export function PlaceHere() {
  const handle = shownMap.value;
  const now = tool.value;
  useEffect(() => {
    sketch.value = [];
  }, [now]);
  if (!hasCross() || !handle) return null;
  const e = words.edit;
  const place = (): void => {
    const { lng, lat } = handle.map.getCenter();
    sketch.value = [...sketch.value, [Number(lng.toFixed(7)), Number(lat.toFixed(7))]];
    if (now === 'point') finish();
  };
  const finish = (): void => {
    const shape = shapeOf(now, sketch.value);
    sketch.value = [];
    if (now === 'split' && shape.geometry.type === 'LineString') {
      if (takeCut(shape.geometry.coordinates)) tool.value = 'select';
      return;
    }
    takeDrawn(shape);
    tool.value = 'select';
  };
  return (
    <div class="place-here">
      <Button kind="primary" onClick={place}>
        {e.placeHere}
      </Button>
      {now !== 'point' && (
        <>
          <Button disabled={!sketch.value.length} onClick={() => (sketch.value = sketch.value.slice(0, -1))}>
            {e.undoPoint}
          </Button>
          <Button disabled={sketch.value.length < leastOf(now)} onClick={finish}>
            {e.finish}
          </Button>
        </>
      )}
      <Button onClick={() => (tool.value = 'select')}>{words.cancel}</Button>
    </div>
  );
}
