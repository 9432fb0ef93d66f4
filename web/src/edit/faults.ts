/** Faults of the map check, one shape whatever the daemon wraps them in. */
import type { Fault } from '../api/types';

interface Raw {
  severity?: string;
  feature?: string | null;
  feature_id?: string | null;
  feature_index?: number | null;
  path?: string | null;
  line?: number | null;
  message?: string;
  reason?: string;
  hint?: string | null;
  mend?: string | null;
  value?: string | null;
}

export function faultsOf(answer: unknown): Fault[] {
  const list = Array.isArray(answer) ? answer : ((answer as { faults?: unknown[] } | null)?.faults ?? []);
  const grade: Record<string, number> = { error: 0, warning: 1, note: 2 };
  return (list as Raw[])
    .map((raw): Fault => ({
      severity: raw.severity === 'error' || raw.severity === 'warning' ? raw.severity : 'note',
      feature:
        raw.feature_id ??
        raw.feature ??
        (raw.feature_index === null || raw.feature_index === undefined ? null : `#${raw.feature_index}`),
      path: raw.path ?? null,
      line: raw.line ?? null,
      message: [raw.reason ?? raw.message ?? '', raw.value ? `(${raw.value})` : ''].filter(Boolean).join(' '),
      hint: raw.mend ?? raw.hint ?? null,
    }))
    .sort((a, b) => (grade[a.severity] ?? 2) - (grade[b.severity] ?? 2));
}

export const errorsIn = (faults: readonly Fault[]): number => faults.filter((one) => one.severity === 'error').length;
export const warningsIn = (faults: readonly Fault[]): number =>
  faults.filter((one) => one.severity === 'warning').length;
