/**
 * What the daemon sends and takes under /api/v1. SI units, the unit in the key; times RFC 3339 UTC.
 * Nothing here is computed by the console.
 */
import type { FeatureCollection } from 'geojson';

export type Role = 'viewer' | 'officer' | 'manager' | 'admin';
export type SpeedUnit = 'mph' | 'km/h' | 'kn';
export type DistanceUnit = 'ft' | 'm';
export type Verdict = 'breach' | 'possible';

/** What lies below the zones instead of plain land, where the daemon is configured so: a style, or raster tiles. */
export interface BaseMap {
  style_url?: string;
  /** With `{z}`, `{x}` and `{y}`. */
  tiles?: string;
  attribution: string;
}

export interface Me {
  user: string | null;
  role: Role | null;
  csrf: string | null;
  is_demo: boolean;
  version: string;
  base_map?: BaseMap | null;
}

/** Null where the sun does not do that these days, or no rule asks for the night. */
export interface Sun {
  sunset: string | null;
  sunrise: string | null;
  night_from: string | null;
  night_until: string | null;
  is_night: boolean;
}

export interface Conditions {
  visibility_m?: number | null;
  weather?: string | null;
  until?: string | null;
  by?: string | null;
}

export interface Waterway {
  id: string;
  name: string;
  time_zone: string;
  bbox: [number, number, number, number] | null;
  law: {
    map_version: string | null;
    rulebook_version: string;
    rulebook_name: string;
    since: string;
    fault: string | null;
  };
  sun: Sun | null;
  units: { speed: SpeedUnit; distance: DistanceUnit };
  limits: { cap_mps: number | null; night_mps: number | null; wake_mps: number | null; strip_m: number | null };
  conditions: Conditions | null;
  quiet: string[];
  min_confidence?: number;
}

export interface BoatLimit {
  speed_mps: number;
  rule: string;
  clause: string;
  reason: string;
  feature?: string | null;
  kind?: string | null;
  distance_m?: number | null;
}

export interface Tow {
  state: string;
  rope_m: number | null;
  skier: { lat: number; lon: number; error_m: number; is_estimated: boolean } | null;
  by?: string;
}

export type BoatState = 'under_way' | 'at_rest' | 'at_dock' | 'trolling';

export interface Boat {
  id: string;
  name?: string | null;
  class?: string | null;
  t: string;
  /** Not in the compact form of the stream. */
  received_at?: string;
  lat: number;
  lon: number;
  sog_mps: number | null;
  cog_deg: number | null;
  /** The speed is of the way; none was reported. */
  is_derived?: boolean;
  heading_deg: number | null;
  accuracy_m: number | null;
  length_m?: number | null;
  interval_s: number | null;
  state: BoatState;
  limit: BoatLimit | null;
  nearest: { feature: string; kind: string; distance_m: number } | null;
  tow: Tow | null;
  permits: string[];
  open: string[];
  not_judged?: string | null;
}

export type FindingState = 'open' | 'new' | 'acknowledged' | 'noted' | 'warned' | 'cited' | 'dismissed' | 'withdrawn';

export interface Finding {
  id: string;
  revision: number;
  rule: string;
  clause: string;
  vessel: string;
  waterway: string;
  other: string | null;
  status: 'open' | 'closed' | 'withdrawn';
  start: string;
  end: string | null;
  limit: { speed_mps?: number; distance_m?: number } | null;
  peak: {
    t: string;
    lat: number;
    lon: number;
    speed_mps?: number | null;
    distance_m?: number | null;
    feature?: string | null;
  };
  features: string[];
  confidence: number;
  verdict: Verdict;
  reading: string | null;
  text: string;
  map_version: string;
  rulebook_version: string;
  seq: number;
  made_at: string;
  state: FindingState;
  is_weak: boolean;
  title: string;
  citation: string;
}

export type Action = 'acknowledge' | 'note' | 'warn' | 'cite' | 'dismiss' | 'reverse';

export interface Outcome {
  n: number;
  finding: string;
  action: Action;
  reason: string | null;
  text: string | null;
  by: string;
  at: string;
  reverses?: number | null;
}

export interface Measured {
  what: string;
  value: number | null;
  error: number | null;
  limit: number | null;
  margin: number | null;
  unit: string;
}

export interface FindingDetail {
  finding: Finding;
  revisions: Finding[];
  outcomes: Outcome[];
  clause: { citation: string; text: string | null; title: string | null } | null;
  law: { map_version: string; rulebook_version: string; rulebook_name: string | null; reading?: string | null };
  measured: Measured[];
  odds: { confidence: number; errors_used: string[]; interpolated_s: number | null; formula?: string[] };
  would_change: { what: string; text: string }[];
  permits: (string | { id: string; permit: string | null; lifts: boolean; reason: string })[];
}

export interface FindingPage {
  findings: Finding[];
  next: string | null;
  counts: { by_state: Record<string, number>; by_verdict: Record<string, number>; by_rule: Record<string, number> };
}

export interface Mark {
  id: string;
  kind: string;
  /** Null where it is not a point; `geometry` says where then. */
  lat: number | null;
  lon: number | null;
  since?: string | null;
  until: string | null;
  by?: string | null;
}

export interface QuietEntry {
  id: number;
  vessel: string;
  rule: string;
  until: string;
  by: string;
}

export interface ReviewVessel {
  id: string;
  name: string | null;
  class: string | null;
  tow_periods: { from_ms: number; to_ms: number | null; state: string; rope_m: number | null }[];
  fixes: {
    t_ms: number[];
    lat: number[];
    lon: number[];
    sog_mps: (number | null)[];
    /** 68 % error of the speed; a daemon that does not tell it gives none. */
    sog_error_mps?: (number | null)[];
    is_derived: boolean[];
    cog_deg: (number | null)[];
    accuracy_m: (number | null)[];
    limit_mps: (number | null)[];
    limit_rule: (number | null)[];
    distance_m: (number | null)[];
    nearest: (number | null)[];
  };
  limit_reasons: { rule: string; clause: string; reason: string; feature?: string | null }[];
  /** What `nearest` points to; some only by id. */
  features: (string | { id: string; kind: string; name: string })[];
  gaps: { from_ms: number; to_ms: number; reason: string }[];
  refused: { t_ms: number; lat: number; lon: number; reason: string }[];
  skier: { t_ms: number[]; lat: number[]; lon: number[]; error_m: (number | null)[]; is_estimated: boolean[] } | null;
  judged_s: number;
  not_judged_s: number;
}

export interface Review {
  /** Judged by this draft, and not by what was in force. */
  draft?: { id: string; name: string };
  from: string;
  to: string;
  time_zone: string;
  law: { map_version: string; rulebook_version: string; rulebook_name: string };
  vessels: ReviewVessel[];
  findings: Finding[];
  sun: { event: string; t: string }[];
  /** Spans in which the night limit holds, ms since `from`. */
  night?: [number, number][];
  overview: { bin_s: number; boats: number[] };
  /** Of a recording: lines that could not be read, the first few. */
  unread?: string[];
}

export interface VesselRow {
  id: string;
  name: string | null;
  class: string | null;
  t: string | null;
  findings: number;
  interval_s: number | null;
  /** Where it is, if it was heard within the last hour. */
  waterway: string | null;
}

/** One fault of the map check, as `buoyline check --format json` writes it. */
export interface Fault {
  severity: 'error' | 'warning' | 'note';
  /** The lint that found it; none where the reading itself did. */
  lint?: string | null;
  feature?: string | null;
  path?: string | null;
  line?: number | null;
  message: string;
  hint?: string | null;
  lat?: number | null;
  lon?: number | null;
}

export interface Draft {
  id: string;
  name: string;
  waterway: string;
  base_version: string;
  author: string;
  at: string;
  etag?: string;
  source?: FeatureCollection;
  /** In the list of drafts: ids of the features that it changes. */
  changes?: string[];
}

export interface MapVersion {
  n: number;
  version: string;
  author: string | null;
  comment: string | null;
  at: string;
  changes: number | null;
  is_in_force: boolean;
  valid_from: string | null;
  came_at: string | null;
  is_coming: boolean;
  fault: string | null;
  withdrawn_by: string | null;
  withdrawn_at: string | null;
}

export interface Job {
  id?: string;
  state: 'queued' | 'running' | 'done' | 'failed';
  done: number;
  gained: Finding[];
  lost: Finding[];
  other_odds: Finding[];
  same: number;
  /** How many there are in all; the lists are cut. */
  counts?: [gained: number, lost: number, other: number];
  detail?: string;
}

export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail?: string;
  place?: string;
  mend?: string;
}
