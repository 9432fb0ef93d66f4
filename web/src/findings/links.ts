/** Links from a finding to where it can be looked at. */
import type { Finding } from '../api/types';
import { pathOf } from '../route';
import { isoOf, msOf } from '../time';

const BEFORE_MS = 60_000;
const AFTER_MS = 45_000;

export const findingLink = (finding: Finding): string => pathOf('findings', finding.id);

/** Review of the pass with a minute before and three quarters after. */
export function reviewLink(finding: Finding): string {
  const from = isoOf(msOf(finding.start) - BEFORE_MS);
  const to = isoOf(msOf(finding.end ?? finding.peak.t) + AFTER_MS);
  const boats = [finding.vessel, finding.other].filter(Boolean).join(',');
  return pathOf(
    'review',
    finding.waterway,
    `?from=${from}&to=${to}&t=${finding.peak.t}&boats=${boats}&f=${encodeURIComponent(finding.id)}`,
  );
}

/** A version of the map, to be looked at; `at` as the map takes it: latitude, longitude, zoom. */
export const versionPath = (waterway: string, version: string, at = ''): string =>
  pathOf('map', waterway, `/history/${encodeURIComponent(version)}${at && `?at=${at}`}`);

/** The evidence report, made by the daemon, as a page to print. */
export const reportLink = (finding: Finding): string => `/api/v1/findings/${encodeURIComponent(finding.id)}/report`;

/** The same as a PDF file. */
export const pdfLink = (finding: Finding): string => `${reportLink(finding)}.pdf`;
