/** Filters of findings: in the link, one meaning for map, list and the daemon's query. */
import type { Finding } from '../api/types';
import { route } from '../route';
import { needsSomeone } from '../store/store';
import { msOf } from '../time';
import { cornersOf, isInArea } from './within';

export interface Filters {
  /** 'open,new', or '' for all. */
  state: string;
  verdict: string;
  rule: string;
  boat: string;
  feature: string;
  /** Corners of a drawn area, see within.ts. */
  area: string;
  from: string;
  to: string;
  /** Least odds in percent. */
  odds: string;
  sort: string;
}

export const KEYS: (keyof Filters)[] = [
  'state',
  'verdict',
  'rule',
  'boat',
  'feature',
  'area',
  'from',
  'to',
  'odds',
  'sort',
];

export function filtersOf(query: URLSearchParams, base: Partial<Filters> = {}): Filters {
  const filters: Filters = {
    state: '',
    verdict: '',
    rule: '',
    boat: '',
    feature: '',
    area: '',
    from: '',
    to: '',
    odds: '',
    sort: '-start',
    ...base,
  };
  for (const key of KEYS) {
    const value = query.get(key);
    if (value !== null) filters[key] = value === 'any' ? '' : value;
  }
  return filters;
}

/** The filters of the address; Live begins with what still needs someone. */
export const liveFilters = (): Filters => filtersOf(route.value.query, { state: 'open,new,acknowledged' });

/** The daemon's query for `GET /findings` and its files. */
export const asQuery = (filters: Filters, waterway: string | null): Record<string, string | number | null> => ({
  waterway,
  state: filters.state,
  verdict: filters.verdict,
  rule: filters.rule,
  vessel: filters.boat,
  feature: filters.feature,
  area: cornersOf(filters.area) ? filters.area : null,
  from: filters.from,
  to: filters.to,
  min_confidence: filters.odds ? Number(filters.odds) / 100 : null,
  sort: filters.sort === '-open' || filters.sort === '-excess' ? '-start' : filters.sort,
});

export function passes(finding: Finding, filters: Filters): boolean {
  if (filters.state && !filters.state.split(',').includes(finding.state)) return false;
  if (filters.verdict && finding.verdict !== filters.verdict) return false;
  if (filters.rule && finding.rule !== filters.rule) return false;
  if (filters.boat && finding.vessel !== filters.boat && finding.other !== filters.boat) return false;
  if (filters.feature && !finding.features.includes(filters.feature)) return false;
  if (filters.area && !isInArea(filters.area, finding.peak)) return false;
  if (filters.from && msOf(finding.start) < msOf(filters.from)) return false;
  if (filters.to && msOf(finding.start) > msOf(filters.to)) return false;
  return !filters.odds || finding.confidence * 100 >= Number(filters.odds);
}

/** By how much the limit was passed, as a share of it. */
export function excess(finding: Finding): number {
  const { limit, peak } = finding;
  if (limit?.speed_mps && peak.speed_mps) return peak.speed_mps / limit.speed_mps;
  if (limit?.distance_m && peak.distance_m !== null && peak.distance_m !== undefined)
    return limit.distance_m / Math.max(0.1, peak.distance_m);
  return 0;
}

export function sorted(list: Finding[], sort: string): Finding[] {
  const by: Record<string, (a: Finding, b: Finding) => number> = {
    '-start': (a, b) => msOf(b.start) - msOf(a.start),
    start: (a, b) => msOf(a.start) - msOf(b.start),
    '-open': (a, b) => Number(needsSomeone(b)) - Number(needsSomeone(a)) || msOf(a.start) - msOf(b.start),
    '-confidence': (a, b) => b.confidence - a.confidence,
    '-excess': (a, b) => excess(b) - excess(a),
  };
  return [...list].sort((a, b) => (by[sort] ?? by['-start']!)(a, b) || (a.id < b.id ? -1 : 1));
}
