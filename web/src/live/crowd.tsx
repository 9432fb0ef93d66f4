/** Boats at one place, told apart: a list to choose from, and the way nearer. */
import { useEffect, useRef } from 'preact/hooks';
import { foremost, numberOf } from '../map/fleet';
import type { MapHandle } from '../map/view';
import { boats, nameOf } from '../store/boats';
import { secondNow } from '../store/clock';
import { findings, needsSomeone, units } from '../store/store';
import { words } from '../words/en';
import { Glyph, Icon } from '../ui/icons';

export interface Crowd {
  x: number;
  y: number;
  /** In the order of the list, which stays while it is read. */
  ids: readonly string[];
  /** Findings rather than boats were touched. */
  isPlate: boolean;
}

const WIDE_PX = 280;
const HIGH_PX = 300;
/** How near the map goes, and how far apart boats are there at least for that to be of use. */
const NEAREST = 19.5;
const PART_PX = 60;

interface Props extends Crowd {
  handle: MapHandle;
  onChoose: (id: string) => void;
  onClose: () => void;
}

export function CrowdList({ x, y, ids, isPlate, handle: { map }, onChoose, onClose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  void secondNow.value;
  useEffect(() => {
    box.current?.querySelector('button')?.focus({ preventScroll: true });
    // It stands where the boats were on screen; a map that follows a boat moves it little.
    const ends = (['dragstart', 'zoomstart'] as const).map((what) => map.on(what, onClose));
    return () => ends.forEach((end) => end.unsubscribe());
  }, [ids]);
  const list = ids.flatMap((id) => boats.get(id) ?? []);
  const places = list.map((boat) => map.project([boat.lon, boat.lat]));
  const [left, right] = [Math.min(...places.map((p) => p.x)), Math.max(...places.map((p) => p.x))];
  const [top, bottom] = [Math.min(...places.map((p) => p.y)), Math.max(...places.map((p) => p.y))];
  const grows = 2 ** (NEAREST - map.getZoom());
  const canPart = grows > 1.2 && Math.hypot(right - left, bottom - top) * grows > PART_PX;
  const nearer = (): void => {
    onClose();
    map.fitBounds([map.unproject([left, bottom]), map.unproject([right, top])], {
      padding: Math.min(140, map.getContainer().clientWidth / 4),
      maxZoom: NEAREST,
      animate: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    });
  };
  const { clientWidth, clientHeight } = map.getContainer();
  const place = {
    left: `${Math.max(8, Math.min(x, clientWidth - WIDE_PX - 8))}px`,
    top: `${Math.max(8, Math.min(y, clientHeight - HIGH_PX - 8))}px`,
  };
  const title = isPlate ? words.live.boatsWithFindings(list.length) : words.live.here(list.length);
  return (
    <div
      class="crowd panel-float"
      ref={box}
      style={place}
      role="dialog"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
        map.getCanvas().focus();
      }}
    >
      <h2>{title}</h2>
      {list.map((boat) => {
        const best = foremost(boat, findings.value);
        const finding = best && needsSomeone(best) ? best : null;
        return (
          <button type="button" class="crowd-row" key={boat.id} onClick={() => onChoose(boat.id)}>
            {finding && <Glyph verdict={finding.verdict} />}
            {finding && <span class="unseen">{words.findings.verdict[finding.verdict]}</span>}
            <b>{nameOf(boat)}</b>
            {finding && <span class="is-second">{numberOf(finding, boat, units.value)}</span>}
          </button>
        );
      })}
      {canPart && (
        <button type="button" class="crowd-row crowd-zoom" onClick={nearer}>
          <Icon name="plus" />
          {words.live.zoomIn}
        </button>
      )}
    </div>
  );
}
