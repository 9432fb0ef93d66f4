/**
 * Every string a person reads, in one place. Sentences about findings are the daemon's own (`text`) and not here.
 * Words that this product does not use are held back by a test: a finding is a lead.
 */
import type { Role } from '../api/types';
import { count } from './count';
import { edit } from './edit';
import { detail, findings, outcomes } from './findings';
import { actions, live } from './live';
import { review } from './review';

export { count, odds } from './count';

const ROLE: Record<Role, string> = { viewer: 'viewer', officer: 'officer', manager: 'manager', admin: 'admin' };

export const words = {
  product: 'Buoyline',
  undo: 'Undo',
  close: 'Close',
  cancel: 'Cancel',
  back: 'Back',
  more: 'More',
  noData: 'no data',
  loading: 'Loading',
  lead: 'A lead for an officer, not a ruling.',
  skip: 'Skip to the content',

  screens: {
    live: 'Live',
    review: 'Review',
    findings: 'Findings',
    map: 'Map editor',
    vessels: 'Vessels',
    admin: 'Admin',
    rulebooks: 'Rulebooks',
    more: 'More',
    mapShort: 'Map',
  },

  bar: {
    waterway: 'Waterway',
    noWaterway: 'No waterway',
    palette: (name: string) => `Colours: ${name}. Change`,
    paletteNames: { day: 'day', dusk: 'dusk', night: 'night', auto: 'by the sun' } as Record<string, string>,
    login: 'Log in',
    logout: 'Log out',
    demo: 'Demo',
    newConsole: 'A new version of the console is here.',
    reload: 'Reload',
  },

  line: {
    connecting: 'Connecting',
    short: {
      connecting: 'Connecting',
      live: 'Live',
      late: 'Late',
      reconnecting: 'Trying',
      offline: 'Offline',
    } as Record<string, string>,
    live: 'Live',
    late: 'Late',
    reconnecting: (at: string) => `Reconnecting · data of ${at}`,
    offline: (at: string) => `Offline since ${at} · showing the last state`,
    waiting: (n: number) => `${count(n, 'entry waits', 'entries wait')} for the connection`,
    needs: 'needs the connection',
    missed: (n: number) => `${count(n, 'update that was missed is', 'updates that were missed are')} here.`,
  },

  night: {
    ahead: (limit: string) => ({ lead: limit, rest: 'night limit in' }),
    inForce: (limit: string) => `${limit} night limit`,
    until: (clock: string, left: string) => `until ${clock} · ${left}`,
  },

  conditions: (distance: string, weather: string | null, until: string | null, by: string | null) =>
    `Restricted visibility: ${weather ? `${weather}, ` : ''}${distance}${until ? `, until ${until}` : ''}${by ? `, set by ${by}` : ''}`,

  login: {
    title: 'Log in',
    user: 'Name',
    password: 'Password',
    submit: 'Log in',
    wrong: 'Name and password do not match.',
    why: 'This console needs a login. You come back to this page.',
  },

  findings,

  outcomes,

  detail,

  live,

  actions,

  review,

  edit,

  vessels: {
    title: 'Vessels',
    search: 'Search',
    purpose: 'Why do you open this boat? It is written to the audit log.',
    purposes: ['incident', 'complaint', 'patrol', 'device check', 'other'],
    open: 'Open',
    columns: {
      name: 'Name',
      fix: 'Newest fix',
      findings: 'Findings',
      interval: 'Usual interval',
      class: 'Class',
    },
    none: 'No boat matches.',
    day: 'Day',
    never: 'never',
    recorded: 'This look is recorded.',
    device: (fixes: number, interval: string) => `${fixes} fixes, usually every ${interval}`,
  },

  rulebooks: {
    title: 'Rulebooks',
    inForce: 'in force',
    all: 'All rulebooks that were in force, and what differs',
    since: (when: string) => `In force since ${when}`,
    fromTo: (from: string, to: string) => `In force from ${from} to ${to}`,
    compare: 'Compare with',
    withNone: 'no other',
    differences: (n: number) =>
      n === 0 ? 'They say the same' : `What the other says otherwise (${n.toLocaleString('en')})`,
    where: 'Where',
    notThere: 'not there',
    lines: (gone: number, fresh: number) =>
      gone + fresh === 0
        ? 'Their texts are the same'
        : `Line by line: ${count(gone, 'line', 'lines')} (−) of this one, ${count(fresh, 'line', 'lines')} (+) of the other`,
    sameLines: (n: number) => `${count(n, 'line', 'lines')} the same. Show`,
    text: 'Text',
    differs: 'Which of the two',
    onlyFirst: 'only in this one',
    onlySecond: 'only in the other',
  },
  admin: {
    title: 'Admin',
    pages: {
      sources: 'Sources',
      rulebook: 'Rulebook',
      accounts: 'Accounts',
      tokens: 'API tokens',
      retention: 'Retention',
      audit: 'Audit log',
      health: 'Health',
    } as Record<string, string>,
    sources: (healthy: number, silent: number) => `${healthy} healthy, ${silent} silent`,
    refused: 'Refused',
    rate: 'Rate',
    lastHeard: 'Last heard',
    source: 'Source',
    user: 'User',
    role: 'Role',
    created: 'Since',
    add: 'Add',
    remove: 'Remove',
    name: 'Name',
    password: 'Password',
    newToken: 'Shown once, copy it now:',
    when: 'When',
    who: 'Who',
    what: 'What',
    vessel: 'About',
    why: 'Purpose',
    none: 'Nothing here yet.',
    roleName: (role: Role) => ROLE[role],
    confirmRemove: (name: string) => `Remove ${name}?`,
    rules: 'Rules',
    toml: 'As a file',
    changePassword: 'Change my password',
    oldPassword: 'Old password',
    newPassword: 'New password',
    changed: 'Password changed.',
    retention: 'Tracks without findings are removed after the time set in the daemon’s configuration; findings stay.',
  },

  public: {
    inForce: 'In force now',
    noBoats: 'Zones and counts only: no boats, no names.',
    counts: 'Findings by day',
    cap: 'on open water',
    night: 'at night',
    wake: (strip: string) => `within ${strip} of shore, docks, buoys and swimmers`,
    wall: {
      title: 'Wall display',
      boats: (n: number) => count(n, 'boat out', 'boats out'),
      how: 'Names are made up and change every midnight; boats at docks are not shown.',
      late: 'Not heard for a while',
      look: 'Wall display: boats under names of the day',
      isOpen: 'Open: everybody may see where boats are, under made-up names that change every midnight.',
      isClosed: 'The wall display is closed. A manager can open it.',
      open: 'Open the wall display',
      close: 'Close the wall display',
    },
    day: 'Day',
    breach: 'Breach',
    possible: 'Possible',
  },

  errors: {
    title: 'Something did not work',
    retry: 'Try again',
    notFound: 'There is no such page.',
    toLive: 'To the live map',
    forbidden: (role: string) => `This needs the role ${role}.`,
    map: 'The map could not be drawn: this browser offers no WebGL. The lists work without it.',
    since: (at: string) => `Since ${at}`,
    reference: 'reference',
    noAnswer: 'no answer',
    noWaterway: (id: string) => `There is no waterway “${id}” here.`,
    stillWorks: 'The rest of the console goes on working.',
  },

  keys: {
    title: 'Keys',
    list: [
      ['J, K', 'next, previous finding'],
      ['Enter', 'open'],
      ['A', 'acknowledge'],
      ['N W C D', 'note, warn, cite, dismiss'],
      ['R', 'review'],
      ['F', 'follow'],
      ['G then L R F M V', 'go to Live, Review, Findings, Map, Vessels'],
      ['/', 'search'],
      ['L', 'layers'],
      ['U', 'units'],
      ['Space', 'play'],
      ['← →', 'one fix'],
      ['Shift + ← →', '10 s'],
      ['[ ]', 'previous, next finding'],
      ['Ctrl+Z', 'undo'],
      ['?', 'this list'],
    ] as [string, string][],
    on: 'Keys are on',
  },

  settings: {
    title: 'Settings',
    units: 'Add units',
    none: 'rulebook only',
    red: 'Red filter',
    sun: 'Full sun',
    dim: 'Dimmer',
    sound: 'Sound',
    palette: 'Colours',
    about: 'Licences',
    account: 'Account',
  },

  announce: {
    one: (text: string, vessel: string) => `New breach: ${vessel}. ${text}`,
    more: (n: number) => `${n} more`,
  },
};
