/** A span dragged over a chart. */
import { prefs, setPref } from '../store/prefs';
import { shownUnits } from '../store/store';
import { span } from '../time';
import { distanceText, speedText } from '../units';
import { words } from '../words/en';
import { Button } from '../ui/parts';
import { period, selection, show, shown } from './state';
import { measure, type Track } from './track';

/** What a dragged span measures, and the way to zoom to it. */
export function Selection({ track }: { track: Track }) {
  const picked = selection.value;
  const u = shownUnits.value;
  const isZoomed = shown.value[0] > period.value[0] || shown.value[1] < period.value[1];
  const zoom = (): void => {
    if (picked) show(picked);
    selection.value = null;
    setPref({ knows_zoom: true });
  };
  if (!picked) {
    return (
      <div class="selection rows">
        {!prefs.value.knows_zoom && <span class="is-second">{words.review.tip}</span>}
        {isZoomed && <Button onClick={() => show(period.value)}>{words.review.wholePeriod}</Button>}
      </div>
    );
  }
  const { run_m, mean_mps, peak_mps } = measure(track, picked[0], picked[1]);
  return (
    <div class="selection rows">
      <span>
        {words.review.selection(
          span((picked[1] - picked[0]) / 1000),
          distanceText(run_m, u.distance),
          speedText(mean_mps, u.speed),
          speedText(peak_mps, u.speed),
        )}
      </span>
      <Button onClick={zoom}>{words.review.zoom}</Button>
      <Button kind="quiet" icon="close" aria-label={words.close} onClick={() => (selection.value = null)} />
    </div>
  );
}
