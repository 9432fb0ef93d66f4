/** What a review shows: one cursor in time, a window, the boats and the finding; everything else follows from these. */
import { computed, effect, signal } from '@preact/signals';
import type { Finding, Review } from '../api/types';
import { prefs } from '../store/prefs';
import { msOf } from '../time';
import { tracksOf, type Track } from './track';

export const review = signal<Review | null>(null);
/** A recording reviewed without being stored. */
export const isUpload = signal(false);
/** Reviewed under a draft of the map. */
export const draftOf = computed(() => review.value?.draft ?? null);
/** Boats with track and chart, in the order of their letters. */
export const chosenIds = signal<string[]>([]);
export const findingId = signal<string | null>(null);
/** The instant everything shows, ms since 1970. */
export const cursor = signal(0);
/** The part of the period the lanes and charts show. */
export const shown = signal<[number, number]>([0, 1]);
export const isPlaying = signal(false);
export const rate = signal(1);
export const followedId = signal<string | null>(null);
export const hasRefused = signal(false);
export const selection = signal<[number, number] | null>(null);

export const RATES = [1, 5, 10, 30, 60] as const;

export const period = computed<[number, number]>(() =>
  review.value ? [msOf(review.value.from), msOf(review.value.to)] : [0, 1],
);
export const tracks = computed<Track[]>(() => (review.value ? tracksOf(review.value, chosenIds.value) : []));
export const chosenTracks = computed<Track[]>(() => tracks.value.filter((track) => chosenIds.value.includes(track.id)));
export const reviewFindings = computed<Finding[]>(() =>
  [...(review.value?.findings ?? [])].sort((a, b) => msOf(a.start) - msOf(b.start)),
);
export const chosenOne = computed<Finding | null>(
  () => reviewFindings.value.find((one) => one.id === findingId.value) ?? null,
);
/** The boat of the charts: that of the finding, else the first chosen. */
export const chartTrack = computed<Track | null>(
  () => tracks.value.find((track) => track.id === chosenOne.value?.vessel) ?? chosenTracks.value[0] ?? null,
);

export function setCursor(ms: number): void {
  const [from, to] = period.value;
  cursor.value = Math.max(from, Math.min(to, ms));
  const [a, b] = shown.value;
  // The window follows the cursor, by whole widths, so that it does not slide under the eye.
  if (cursor.value < a || cursor.value > b) {
    const width = b - a;
    const start = Math.max(from, Math.min(to - width, cursor.value - width / 4));
    shown.value = [start, start + width];
  }
}

export function show(window: [number, number]): void {
  const [from, to] = period.value;
  const width = Math.max(2000, Math.min(window[1] - window[0], to - from));
  const start = Math.max(from, Math.min(window[0], to - width));
  shown.value = [start, start + width];
}

/** The next (or previous) fix of the chart's boat. */
export function stepFix(by: 1 | -1): void {
  const track = chartTrack.value;
  if (!track) return setCursor(cursor.value + by * 1000);
  const here = track.indexAt(cursor.value);
  const isOn = here >= 0 && track.time(here) === cursor.value;
  const next = by > 0 ? here + 1 : isOn ? here - 1 : here;
  const last = track.vessel.fixes.t_ms.length - 1;
  if (last >= 0) setCursor(track.time(Math.max(0, Math.min(last, next))));
}

/** The cursor by keys: a fix, ten seconds, the ends of the window. */
export function moveByKey(event: KeyboardEvent): void {
  const [from, to] = shown.value;
  const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
  if (by && event.shiftKey) setCursor(cursor.value + by * 10_000);
  else if (by) stepFix(by as 1 | -1);
  else if (event.key === 'Home') setCursor(from);
  else if (event.key === 'End') setCursor(to);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function stepFinding(by: 1 | -1): Finding | null {
  const list = reviewFindings.value;
  const at = list.findIndex((one) => one.id === findingId.value);
  const next =
    at >= 0
      ? list[at + by]
      : by > 0
        ? (list.find((one) => msOf(one.start) > cursor.value) ?? list[0])
        : list.findLast((one) => msOf(one.start) < cursor.value);
  if (next) chooseInReview(next);
  return next ?? null;
}

export function chooseInReview(finding: Finding): void {
  findingId.value = finding.id;
  const wanted = [finding.vessel, finding.other].filter(
    (id) => id !== null && !chosenIds.value.includes(id),
  ) as string[];
  if (wanted.length) chosenIds.value = [...chosenIds.value, ...wanted];
  setCursor(msOf(finding.peak.t));
}

const NEAR_MS = 3000;

/** Playing: the cursor runs with the clock, `rate` times as fast; near findings no faster than life if so wished. */
export function startPlayer(): () => void {
  let frame = 0;
  let last = 0;
  const isStepped = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let owed = 0;
  const run = (at: number): void => {
    frame = requestAnimationFrame(run);
    const passed = Math.min(250, at - last);
    last = at;
    const isNear =
      rate.value >= 10 &&
      prefs.value.slows_at_findings &&
      reviewFindings.value.some(
        (one) => cursor.value > msOf(one.start) - NEAR_MS && cursor.value < msOf(one.end ?? one.peak.t) + NEAR_MS,
      );
    owed += passed * (isNear ? 1 : rate.value);
    if (isStepped && owed < 1000) return;
    setCursor(cursor.value + owed);
    owed = 0;
    if (cursor.value >= period.value[1]) isPlaying.value = false;
  };
  const stop = effect(() => {
    cancelAnimationFrame(frame);
    if (!isPlaying.value) return;
    last = performance.now();
    owed = 0;
    frame = requestAnimationFrame(run);
  });
  return () => {
    isPlaying.value = false;
    stop();
    cancelAnimationFrame(frame);
  };
}
