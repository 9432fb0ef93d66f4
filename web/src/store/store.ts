/** The one store: what the daemon has said and what is chosen. Map and list read the same. */
import { computed, signal } from '@preact/signals';
import type { Finding, Mark, Me, QuietEntry, Role, Waterway } from '../api/types';
import { prefs } from './prefs';

export const me = signal<Me | null>(null);
export const waterways = signal<Waterway[]>([]);
/** Id of the waterway on screen. */
export const here = signal<string | null>(null);
export const waterway = computed<Waterway | null>(() => waterways.value.find((one) => one.id === here.value) ?? null);

export const findings = signal<ReadonlyMap<string, Finding>>(new Map());
export const marks = signal<readonly Mark[]>([]);
export const quiet = signal<readonly QuietEntry[]>([]);

/** The chosen boat and finding; both may be. */
export const chosenBoat = signal<string | null>(null);
export const chosenFinding = signal<string | null>(null);
/** The boat the map stays with. */
export const followed = signal<string | null>(null);

/** A short message with an optional way back, until the next one. */
export interface Notice {
  text: string;
  isError?: boolean;
  action?: { label: string; run: () => void };
}
export const notice = signal<Notice | null>(null);

const ROLES: Role[] = ['viewer', 'officer', 'manager', 'admin'];

/** Whether the user may do what needs `role`. */
export function may(role: Role): boolean {
  const mine = me.value?.role;
  return !!mine && ROLES.indexOf(mine) >= ROLES.indexOf(role);
}

export function hearFinding(finding: Finding): void {
  const before = findings.value.get(finding.id);
  if (before && before.revision > finding.revision) return;
  const next = new Map(findings.value);
  next.set(finding.id, finding);
  findings.value = next;
}

export function hearFindings(list: readonly Finding[]): void {
  const next = new Map(findings.value);
  for (const finding of list) {
    const before = next.get(finding.id);
    if (!before || before.revision <= finding.revision) next.set(finding.id, finding);
  }
  findings.value = next;
}

export function hearWaterway(one: Waterway): void {
  const others = waterways.value.filter((other) => other.id !== one.id);
  waterways.value = [...others, one].sort((a, b) => a.name.localeCompare(b.name));
}

/** What still needs a person: open or new. */
export const needsSomeone = (finding: Finding): boolean => finding.state === 'open' || finding.state === 'new';

/** Open and new breaches; possible ones never raise the badge. */
export const badge = computed<number>(() => {
  let count = 0;
  for (const finding of findings.value.values()) {
    if (needsSomeone(finding) && finding.verdict === 'breach' && !finding.is_weak) count++;
  }
  return count;
});

/** The rulebook's units, and the ones a person added. */
export const units = computed(() => waterway.value?.units ?? { speed: 'mph' as const, distance: 'ft' as const });
export const shownUnits = computed(() => ({
  speed: prefs.value.speed ?? units.value.speed,
  distance: prefs.value.distance ?? units.value.distance,
}));
export const zone = computed<string>(() => waterway.value?.time_zone ?? 'UTC');
