/** Icons, 20 px, stroke 1.7, in the colour of the text around them; and the two glyphs of a verdict. */
import type { Verdict } from '../api/types';

const PATHS = {
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  layers: 'M10 3l7.500 4L10 11 2.500 7zM2.500 10.500L10 14.500l7.500-4M2.500 14L10 18l7.500-4',
  locate: 'M10 2v4M10 14v4M2 10h4M14 10h4M10 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10z',
  whole: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4',
  flag: 'M4 18V2.500M4 3h12v8H4M4.500 3.500l11 7',
  swimmer:
    'M4 10l4.500-3.500L12 10M2 14c1.600-1.400 3.200-1.400 4.800 0s3.200 1.400 4.800 0 3.200-1.400 4.800 0M14 5.800a1.400 1.400 0 1 0 .01 0',
  tow: 'M2 13l4-5h6l-3 5zM12 8l3-2.500M16.500 4.500a1 1 0 1 0 .01 0',
  fog: 'M3 6h14M6 10h11M3 14h10',
  sun: 'M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600L16 16M16 4l-1.400 1.400M5.400 14.600L4 16',
  dusk: 'M2 14h16M5.500 14a4.500 4.500 0 0 1 9 0M10 3v3M3.500 7l1.800 1.500M16.500 7l-1.800 1.500M5 17.500h10',
  moon: 'M15.500 12.500A7 7 0 0 1 7.500 3.500a7 7 0 1 0 8 9z',
  live: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 6v4l2.500 2',
  finding: 'M6.500 2.500h7l4 4v7l-4 4h-7l-4-4v-7zM10 6.500v4.500M10 13.500v.1',
  review: 'M4 3v14M4 10h12M12 6v8',
  map: 'M2.500 5l5-2 5 2 5-2v12l-5 2-5-2-5 2zM7.500 3v12M12.500 5v12',
  more: 'M4.500 10h.01M10 10h.01M15.500 10h.01',
  down: 'M5 7.500l5 5 5-5',
  up: 'M5 12.500l5-5 5 5',
  left: 'M12.500 5l-5 5 5 5',
  right: 'M7.500 5l5 5-5 5',
  first: 'M5 4v12M15 5l-6 5 6 5z',
  last: 'M15 4v12M5 5l6 5-6 5z',
  play: 'M6 4l10 6-10 6z',
  pause: 'M6.500 4v12M13.500 4v12',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.500l4 4 8-9',
  boat: 'M10 2c4 3 5 7 4.500 15h-9C5 9 6 5 10 2z',
  admin: 'M4 5h12M4 10h12M4 15h12M8 3v4M13 8v4M6 13v4',
  logout: 'M8 3H4v14h4M12 6l4 4-4 4M16 10H8',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const isDots = name === 'more';
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width={isDots ? 2.6 : 1.7}
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export const Mark = () => <img class="mark" src="/icon.svg" width={24} height={24} alt="" />;

/** Solid octagon "!", hollow dashed circle "?", or what is done: check or cross in grey. */
export function Glyph({ verdict, done }: { verdict: Verdict; done?: 'check' | 'cross' | null }) {
  if (done) {
    return (
      <svg
        class="glyph is-done"
        width="20"
        height="20"
        viewBox="0 0 20 20"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
      >
        {verdict === 'breach' ? (
          <path d="M6.300 1.500h7.400l4.800 4.800v7.400l-4.800 4.800H6.300l-4.800-4.800V6.300z" />
        ) : (
          <circle cx="10" cy="10" r="8" stroke-dasharray="4 2.600" />
        )}
        <path d={done === 'check' ? 'M6 10.500l2.800 2.800L14 7.500' : 'M7 7l6 6M13 7l-6 6'} />
      </svg>
    );
  }
  return verdict === 'breach' ? (
    <svg class="glyph is-breach" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M6.100 1h7.800L19 6.100v7.800L13.900 19H6.100L1 13.900V6.100z" fill="var(--breach)" />
      <path d="M10 5v6.200" stroke="var(--on-breach)" stroke-width="2.300" stroke-linecap="round" />
      <circle cx="10" cy="14.400" r="1.400" fill="var(--on-breach)" />
    </svg>
  ) : (
    <svg
      class="glyph is-possible"
      width="20"
      height="20"
      viewBox="0 0 20 20"
      aria-hidden="true"
      fill="none"
      stroke="var(--possible)"
    >
      <circle cx="10" cy="10" r="8.200" stroke-width="1.700" stroke-dasharray="4.100 2.600" />
      <path
        d="M7.800 7.900a2.200 2.200 0 1 1 3.200 2c-.8.400-1 .8-1 1.600"
        stroke-width="1.700"
        stroke-linecap="round"
      />
      <circle cx="10" cy="14" r="1" fill="var(--possible)" stroke="none" />
    </svg>
  );
}
