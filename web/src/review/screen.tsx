/** Review: what happened, how sure, what would change it. The link is exactly this view. */
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, query } from '../api/client';
import type { Review } from '../api/types';
import { MapView, type MapHandle } from '../map/view';
import { shownDraft } from '../map/zones';
import { MapControls, LayerList, Scale, SpeedKey, useLayerSwitches } from '../live/controls';
import { go, pathOf, route, setQuery } from '../route';
import { now } from '../store/clock';
import { prefs, setPref } from '../store/prefs';
import { may, notice, zone } from '../store/store';
import { day, isoOf, msOf } from '../time';
import { words } from '../words/en';
import { screenKeys } from '../ui/keys';
import { Failure } from '../ui/parts';
import { isPhone } from '../ui/size';
import { compareWith, endComparison } from './comparison';
import { Head } from './head';
import { CursorLine, Lanes, Overview, TimeSlider } from './lanes';
import { ChartsLater } from './later';
import { fitTracks } from './fit';
import { showReview } from './layers';
import { Selection } from './selection';
import { Side } from './side';
import { Values } from './values';
import {
  chartTrack,
  chosenIds,
  chosenOne,
  cursor,
  draftOf,
  findingId,
  followedId,
  isPlaying,
  isUpload,
  rate,
  RATES,
  review,
  selection,
  setCursor,
  shown,
  startPlayer,
  stepFinding,
  stepFix,
  tracks,
} from './state';
import { Transport } from './transport';
import '../style/findings.css';
import '../style/review.css';

const FIRST_MS = 15 * 60_000;

/** Once a day it is said that looks at tracks are recorded. */
function sayRecorded(): void {
  const today = day(now(), zone.value);
  if (prefs.value.told_recorded === today) return;
  setPref({ told_recorded: today });
  notice.value = { text: words.live.recorded };
}

/** Takes a review in, with the view the link asks for. */
function take(made: Review, link: URLSearchParams | null): void {
  review.value = made;
  const from = msOf(made.from);
  const to = msOf(made.to);
  shown.value = [from, to];
  selection.value = null;
  const named = (link?.get('boats') ?? '').split(',').filter(Boolean);
  const f = link?.get('f') ?? null;
  findingId.value = made.findings.some((one) => one.id === f) ? f : null;
  const finding = chosenOne.value;
  const wanted = [...named, ...(finding ? [finding.vessel, finding.other] : [])].filter(
    (id) => id && made.vessels.some((one) => one.id === id),
  ) as string[];
  const busiest = [...made.vessels].sort((a, b) => b.fixes.t_ms.length - a.fixes.t_ms.length)[0];
  chosenIds.value = wanted.length
    ? [...new Set(wanted)]
    : [
        ...new Set(
          [made.findings[0]?.vessel, busiest?.id].filter(
            (id) => id && made.vessels.some((one) => one.id === id),
          ) as string[],
        ),
      ].slice(0, 1);
  const t = Date.parse(link?.get('t') ?? '');
  setCursor(Number.isNaN(t) ? (finding ? msOf(finding.peak.t) : from) : t);
  const x = Number(link?.get('x'));
  rate.value = (RATES as readonly number[]).includes(x) ? x : 1;
  followedId.value = link?.get('follow') ?? null;
}

export function ReviewScreen() {
  const { query: link, id } = route.value;
  const [fault, setFault] = useState<Error | null>(null);
  const [isLoading, setLoading] = useState(true);
  const from = link.get('from');
  const to = link.get('to');
  const draft = link.get('draft');
  const turn = useRef(0);
  useLayerSwitches();

  useEffect(() => {
    if (!id) return;
    if (!from || !to) {
      const end = now();
      go(pathOf('review', id, `?from=${isoOf(end - FIRST_MS)}&to=${isoOf(end)}`), true);
      return;
    }
    const mine = ++turn.current;
    endComparison();
    setLoading(true);
    setFault(null);
    const isLong = msOf(to) - msOf(from) > 2 * 3600_000;
    shownDraft.value = draft;
    ask<Review>(`/review${query({ waterway: id, from, to, vessels: isLong ? link.get('boats') : null, draft })}`).then(
      (made) => {
        if (mine !== turn.current) return;
        isUpload.value = false;
        take(made, route.value.query);
        setLoading(false);
        // A link to a comparison makes it again.
        const other = route.value.query.get('map');
        if (other && !draft && may('officer'))
          void compareWith({ kind: 'map', version: other, name: other.slice(0, 8) });
        sayRecorded();
      },
      (cause: Error) => {
        if (mine === turn.current) {
          setFault(cause);
          setLoading(false);
        }
      },
    );
  }, [id, from, to, draft]);

  useEffect(startPlayer, []);
  // The address follows the view.
  useEffect(
    () =>
      effect(() => {
        if (isUpload.value || !review.value || isLoading) return;
        setQuery({
          t: isoOf(cursor.value),
          boats: chosenIds.value.join(','),
          f: findingId.value,
          x: rate.value === 1 ? null : String(rate.value),
          follow: followedId.value,
        });
      }),
    [isLoading],
  );
  useEffect(() => {
    const keys = (event: KeyboardEvent): boolean => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === ' ' && !(event.target as HTMLElement).closest('button, a')) isPlaying.value = !isPlaying.value;
      else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        if ((event.target as HTMLElement).closest('.map-canvas')) return false;
        const by = event.key === 'ArrowLeft' ? -1 : 1;
        if (event.shiftKey) setCursor(cursor.value + by * 10_000);
        else stepFix(by);
      } else if (event.key === '[') stepFinding(-1);
      else if (event.key === ']') stepFinding(1);
      else return false;
      return true;
    };
    screenKeys.push(keys);
    const leave = (event: BeforeUnloadEvent): void => {
      if (isUpload.value) event.preventDefault();
    };
    addEventListener('beforeunload', leave);
    return () => {
      screenKeys.splice(screenKeys.indexOf(keys), 1);
      removeEventListener('beforeunload', leave);
      endComparison();
      review.value = null;
      isUpload.value = false;
      shownDraft.value = null;
    };
  }, []);

  const onUpload = (made: Review): void => {
    isUpload.value = true;
    take(made, null);
    fitTracks();
  };
  const isSmall = isPhone.value;
  const hasBoats = tracks.value.length > 0;
  const charted = chartTrack.value;
  return (
    <div class="review">
      <h1 class="unseen">{words.screens.review}</h1>
      <div class="review-main">
        <Head onUpload={onUpload} />
        {draftOf.value && !isUpload.value && (
          <div class="strip-note is-warn under-draft" role="status">
            <span>{words.review.underDraft(draftOf.value.name)}</span>{' '}
            <button type="button" class="link" onClick={() => setQuery({ draft: null }, true)}>
              {words.review.asPublished}
            </button>
          </div>
        )}
        {isUpload.value && (
          <div class="strip-note is-warn" role="status">
            {words.review.notStored}
          </div>
        )}
        {fault ? (
          <Failure title={words.errors.title} fault={fault} onRetry={() => go(pathOf('review', id))} />
        ) : (
          <MapView
            label={words.live.map}
            at={link.get('at')}
            fitsItself
            onReady={(handle) => ready(handle, !!link.get('at'))}
            onMove={(at, isByHand) => {
              setQuery({ at });
              if (isByHand) followedId.value = null;
            }}
          >
            {isLoading && <p class="map-note">{words.loading}</p>}
            {!isLoading && !hasBoats && (
              <p class="map-note">
                <b>{words.review.none}</b> {words.review.noneHow}
              </p>
            )}
            <div class="map-right">
              <MapControls isPhone={isSmall} isShort />
              <LayerList />
            </div>
            <div class="map-bottom">
              {!isSmall && <SpeedKey />}
              <div class="map-corner">
                <Scale />
              </div>
            </div>
          </MapView>
        )}
        <div class="time-panel">
          <Transport />
          {hasBoats && (
            <div class="time-rows">
              <Overview />
              <Lanes />
              <TimeSlider />
              <ChartsLater height={isSmall ? 110 : 128} />
              <CursorLine />
            </div>
          )}
          {charted && <Selection track={charted} />}
          {charted && <Values track={charted} />}
        </div>
      </div>
      <aside class="findings-detail" aria-label={words.review.explained}>
        <Side />
      </aside>
    </div>
  );
}

function ready(handle: MapHandle, hasView: boolean): () => void {
  const end = showReview(handle);
  let seen: Review | null = null;
  const stop = effect(() => {
    if (!review.value || review.value === seen) return;
    const isFirst = seen === null;
    seen = review.value;
    if (!(isFirst && hasView)) queueMicrotask(fitTracks);
  });
  handle.map.on('dragstart', () => {
    followedId.value = null;
  });
  return () => {
    stop();
    end();
  };
}
