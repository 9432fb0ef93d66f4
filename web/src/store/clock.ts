/** The daemon's clock as seen from here: ages must not depend on how well this device keeps time. */
import { signal } from '@preact/signals';

/** Milliseconds to add to this device's clock. */
let offset_ms = 0;
let isSet = false;

/** The instant at the daemon, milliseconds since 1970. */
export const now = (): number => Date.now() + offset_ms;

/** Ticks every second, for ages and clocks. */
export const secondNow = signal(now());
/** Ticks every minute, for what changes slowly. */
export const minuteNow = signal(now());

/** `at` is an instant the daemon has just named. Messages come late, never early: the largest offset is nearest. */
export function hearTime(at: string): void {
  const heard = Date.parse(at) - Date.now();
  if (Number.isNaN(heard)) return;
  if (!isSet || heard > offset_ms || offset_ms - heard > 2000) {
    const jump = Math.abs(heard - offset_ms);
    offset_ms = heard;
    isSet = true;
    if (jump > 500) tick();
  }
}

function tick(): void {
  const ms = now();
  secondNow.value = ms;
  if (Math.floor(ms / 60_000) !== Math.floor(minuteNow.value / 60_000)) minuteNow.value = ms;
}

/** Starts the clocks; once a page. */
export function startClock(): void {
  setInterval(tick, 1000);
}
