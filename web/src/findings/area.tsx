/** Findings within an area drawn on the map, or typed corner by corner. */
import { effect, useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Finding } from '../api/types';
import { collection, feature, lineOf, pointOf } from '../map/features';
import { area, line, sign } from '../map/layer';
import { colour, type Palette } from '../map/palette';
import { MapView, type MapHandle } from '../map/view';
import { words } from '../words/en';
import { Button, Dialog } from '../ui/parts';
import { cornersOf, textOf, type Corner } from './within';

const layers = (palette: Palette) => [
  area('drawn', { source: 'drawn' }, colour('accent', palette), 0.12),
  line('drawn_edge', { source: 'drawn' }, colour('accent', palette), 2),
  sign('area_pins', { source: 'area_pins' }, { 'icon-image': ['get', 'symbol'], 'icon-allow-overlap': true }),
  {
    id: 'drawn_corner',
    type: 'circle' as const,
    source: 'drawn_corners',
    paint: {
      'circle-radius': 5,
      'circle-color': colour('surface', palette),
      'circle-stroke-color': colour('accent', palette),
      'circle-stroke-width': 2,
    },
  },
];

export function AreaDialog({
  value,
  findings,
  onDone,
  onClose,
}: {
  value: string;
  findings: readonly Finding[];
  onDone: (text: string) => void;
  onClose: () => void;
}) {
  const a = words.findings.area;
  const corners = useSignal<Corner[]>(cornersOf(value) ?? []);
  const [typed, setTyped] = useState<string | null>(null);
  const fault = typed !== null && typed.trim() !== '' && !cornersOf(typed) ? a.unread : null;
  const ready = ({ map, addLayers, setData }: MapHandle): (() => void) => {
    const pins = findings.map((one) => pointOf(one.peak, { symbol: `pin-${one.verdict}` }));
    for (const source of ['drawn', 'drawn_corners']) setData(source, collection());
    setData('area_pins', collection(pins));
    addLayers({ layers });
    map.getCanvas().style.cursor = 'crosshair';
    map.on('click', ({ lngLat }) => {
      corners.value = [...corners.value, [lngLat.lng, lngLat.lat]];
      setTyped(null);
    });
    return effect(() => {
      const list = corners.value;
      setData('drawn_corners', collection(list.map(([lon, lat]) => pointOf({ lon, lat }))));
      setData(
        'drawn',
        collection(
          list.length > 2
            ? [feature({ type: 'Polygon', coordinates: [[...list, list[0]!]] })]
            : list.length > 1
              ? [lineOf(list)]
              : [],
        ),
      );
    });
  };
  return (
    <Dialog title={a.title} onClose={onClose}>
      <p class="is-second">{a.how}</p>
      <div class="area-map">
        <MapView label={a.title} onReady={ready} />
      </div>
      <label class="field">
        <span>{a.corners}</span>
        <textarea
          rows={2}
          spellcheck={false}
          aria-invalid={fault ? true : undefined}
          value={typed ?? textOf(corners.value)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            const read = cornersOf(event.currentTarget.value);
            if (read) corners.value = read;
          }}
        />
        {fault && <small class="is-fault">{fault}</small>}
      </label>
      <div class="rows">
        <Button
          kind="primary"
          disabled={corners.value.length < 3 || !!fault}
          onClick={() => onDone(textOf(corners.value))}
        >
          {a.use}
        </Button>
        <Button disabled={!corners.value.length} onClick={() => (corners.value = corners.value.slice(0, -1))}>
          {a.undo}
        </Button>
        <Button onClick={() => onDone('')}>{a.whole}</Button>
      </div>
    </Dialog>
  );
}
