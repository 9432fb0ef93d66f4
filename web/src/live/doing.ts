/** Which live action is under way, and where. */
import { signal } from '@preact/signals';
import { ApiError } from '../api/client';
import { notice } from '../store/store';
import { words } from '../words/en';

export type Doing = 'dive_flag' | 'swimmer' | 'tow' | 'visibility';
export const doing = signal<Doing | null>(null);
/** On the phone the actions are behind one button. */
export const isActionMenuOpen = signal(false);
/** The mark that was touched. */
export const chosenMark = signal<string | null>(null);

/** Whether a click on the map is a place for a mark. */
export const isPlacing = (): boolean => doing.value === 'dive_flag' || doing.value === 'swimmer';
export const place = signal<{ lat: number; lon: number } | null>(null);
export const setPlace = (lat: number, lon: number): void => {
  place.value = { lat, lon };
};

export function failed(cause: unknown): void {
  const isOffline = cause instanceof ApiError && cause.isOffline;
  notice.value = {
    text: isOffline ? words.line.needs : words.outcomes.failed((cause as Error).message),
    isError: true,
  };
}
