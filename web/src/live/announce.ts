/** New breaches said once: to the screen reader, and by sound and vibration where a person switched that on. */
import { signal } from '@preact/signals';
import type { Finding } from '../api/types';
import { prefs } from '../store/prefs';
import { words } from '../words/en';

/** What the one polite live region says. */
export const said = signal('');

const LEAST_MS = 10_000;
let saidAt = -Infinity;
let held = 0;

export function announce(finding: Finding): void {
  if (finding.is_weak || finding.status !== 'open') return;
  const isBreach = finding.verdict === 'breach';
  if (performance.now() - saidAt < LEAST_MS) {
    held++;
    return;
  }
  saidAt = performance.now();
  if (isBreach)
    said.value = words.announce.one(finding.text, finding.vessel) + (held ? ` ${words.announce.more(held)}` : '');
  held = 0;
  if (!prefs.value.has_sound) return;
  tones(isBreach ? [880, 660] : [520], isBreach ? 0.25 : 0.1);
  navigator.vibrate?.(isBreach ? [120, 80, 120] : [60]);
}

let audio: AudioContext | null = null;

function tones(pitches: number[], loudness: number): void {
  audio ??= new AudioContext();
  pitches.forEach((pitch, i) => {
    const oscillator = audio!.createOscillator();
    const gain = audio!.createGain();
    const from = audio!.currentTime + i * 0.22;
    oscillator.frequency.value = pitch;
    gain.gain.setValueAtTime(loudness, from);
    gain.gain.exponentialRampToValueAtTime(0.001, from + 0.2);
    oscillator.connect(gain).connect(audio!.destination);
    oscillator.start(from);
    oscillator.stop(from + 0.2);
  });
}
