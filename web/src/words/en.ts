/**
 * Every string a person reads, in one place. Sentences about findings are the daemon's own (`text`) and not here.
 * Words that this product does not use are held back by a test: a finding is a lead.
 */
import type { Action, Finding, FindingState, Role } from '../api/types';

const plurals = new Intl.PluralRules('en');
/** "1 boat", "3 boats" */
export const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('en')} ${plurals.select(n) === 'one' ? one : other}`;

const STATE: Record<FindingState, string> = {
  open: 'Open', new: 'New', acknowledged: 'Acknowledged', noted: 'Noted', warned: 'Warned', cited: 'Cited',
  dismissed: 'Dismissed', withdrawn: 'Withdrawn',
};
const DONE: Record<Action, string> = {
  acknowledge: 'Acknowledged', note: 'Noted', warn: 'Warned', cite: 'Cited', dismiss: 'Dismissed', reverse: 'Taken back',
};
const ROLE: Record<Role, string> = { viewer: 'viewer', officer: 'officer', manager: 'manager', admin: 'admin' };
const CLASS: Record<string, string> = {
  motorboat: 'Motorboat', pwc: 'Personal watercraft', sailboat: 'Sailboat', nonmotorized: 'Paddle or rowing boat',
  commercial: 'Commercial boat', patrol: 'Patrol boat',
};
const KIND: Record<string, string> = {
  waterway: 'water', shoreline: 'shoreline', safety_buoy: 'buoy', buoy_line: 'buoy line', dock: 'dock', swim_area: 'swim area',
  swimmer: 'swimmer', float: 'float', ski_dock: 'ski dock', dive_flag: 'dive flag', mooring_buoy: 'mooring buoy',
  launch_ramp: 'launch ramp', mooring_area: 'mooring area', course: 'course', speed_zone: 'speed zone',
  circulation: 'direction of travel', permit_area: 'permit area', boat: 'boat', vessel: 'boat',
};

/** Whole numbers, never 100: "odds 71 in 100", "odds more than 99 in 100". */
export function odds(confidence: number): string {
  return confidence > 0.99 ? 'more than 99 in 100' : `${Math.max(0, Math.min(99, Math.round(confidence * 100)))} in 100`;
}

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

  screens: { live: 'Live', review: 'Review', findings: 'Findings', map: 'Map editor', vessels: 'Vessels', admin: 'Admin', more: 'More', mapShort: 'Map' },

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
    short: { connecting: 'Connecting', live: 'Live', late: 'Late', reconnecting: 'Trying', offline: 'Offline' } as Record<string, string>,
    live: 'Live',
    late: 'Late',
    reconnecting: (at: string) => `Reconnecting · data of ${at}`,
    offline: (at: string) => `Offline since ${at} · showing the last state`,
    waiting: (n: number) => `${count(n, 'entry waits', 'entries wait')} for the connection`,
    needs: 'needs the connection',
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

  findings: {
    title: 'Findings',
    counts: (open: number, today: number) => `${open} open · ${today} today`,
    filters: { openNew: 'Open + new', today: 'Today', allRules: 'All rules', possible: 'Possible too', breach: 'Breach only', all: 'All' },
    newOnes: (n: number) => `↑ ${count(n, 'new finding', 'new findings')}`,
    hidden: (n: number) => `${n} hidden by filters`,
    weak: (n: number) => `Show ${count(n, 'weak lead', 'weak leads')}`,
    hideWeak: 'Hide weak leads',
    weakLead: 'weak lead',
    verdict: { breach: 'Breach', possible: 'Possible' },
    odds: (confidence: number) => `odds ${odds(confidence)}`,
    state: (state: FindingState) => STATE[state] ?? state,
    closed: 'Closed',
    emptyFilter: (name: string) => `No findings under “${name}”. Take that filter away to see more.`,
    empty: (boats: number, judged: string | null) =>
      judged ? `No findings today. ${count(boats, 'boat', 'boats')} judged ${judged}.` : `No findings. ${count(boats, 'boat', 'boats')} on the map.`,
    more: 'Show older ones',
    older: (n: number) => `Show ${count(n, 'older one', 'older ones')}`,
    sort: { '-start': 'newest first', start: 'oldest first', '-open': 'longest open', '-confidence': 'odds', '-excess': 'excess' } as Record<string, string>,
    sortBy: 'Sort',
    total: (n: number, isMore: boolean) => `${isMore ? 'more than ' : ''}${count(n, 'finding', 'findings')}`,
    choose: 'Choose a finding to see what was measured and what would change it.',
    state_: 'State', verdict_: 'Verdict', rule_: 'Rule', boat_: 'Boat', feature_: 'Feature', time_: 'Time', leastOdds: 'Least odds',
    from: 'From', to: 'To',
    export: 'Export',
    views: 'Saved views',
    saveView: 'Save this view',
    viewName: 'Name of the view',
    quiet: (n: number) => count(n, 'quiet rule', 'quiet rules'),
    boats: 'Boats',
    list: 'Findings',
    alsoBroken: (n: number) => `+ ${count(n, 'clause', 'clauses')}`,
  },

  outcomes: {
    acknowledge: 'Acknowledge', review: 'Review', note: 'Note', warn: 'Warn', cite: 'Cite', dismiss: 'Dismiss', more: 'More actions',
    done: (action: Action, finding: Finding) => `${DONE[action]}: ${finding.vessel}`,
    doneWord: (action: Action) => DONE[action],
    undone: 'Taken back. Both entries are kept.',
    failed: (why: string) => `Not stored: ${why}`,
    queued: 'Kept here with its time; sent when the connection is back.',
    reason: 'Reason',
    whyCite: 'Why is it cited?',
    whyDismiss: 'Why is it dismissed?',
    reasons: {
      cite: ['breach as measured', 'seen by officer', 'repeat', 'other'],
      dismiss: ['landing at own dock', 'permit', 'own patrol', 'emergency', 'bad fix', 'wrong map', 'other'],
    } as Record<string, string[]>,
    text: 'Text',
    noteText: 'What is to be noted?',
    store: 'Store',
    quiet: 'Quiet this boat for this rule',
    quietFor: { pass: 'this pass', hour: '1 h', today: 'today' },
    quieted: (vessel: string) => `${vessel} is quiet for this rule`,
    lastUsed: 'last used',
  },

  detail: {
    measured: 'What was measured, at the worst instant',
    columns: { what: '', value: 'Measured', limit: 'Limit', margin: 'Margin' },
    howSure: 'How sure',
    formula: 'The reckoning',
    mark: 'Called a breach from 95 in 100 (mark).',
    errors: (list: string) => `Errors: ${list}.`,
    over: 'over', under: 'under', inside: 'inside', outside: 'outside',
    interpolated: (s: string) => `${s} of it interpolated between fixes.`,
    change: 'What would change this',
    change_: { speed: 'Speed', position: 'Position', accuracy: 'Accuracy', map: 'Map', time: 'Time', reading: 'Reading', exemption: 'Exemption' } as Record<string, string>,
    clause: 'Clause',
    law: (map: string, rulebook: string, reading: string | null) => `map ${map} · rulebook ${rulebook}${reading ? ` · reading ${reading}` : ''}`,
    permits: (ids: string) => `Permits in force: ${ids}`,
    history: 'History',
    revision: (n: number) => `revision ${n}`,
    openReview: 'Open in Review',
    print: 'Print',
    of: (n: number, all: number) => `${n} of ${all}`,
    next: 'Next finding',
    previous: 'Previous finding',
    gone: 'This finding is not here.',
    goneWhy: 'It may be past the time that tracks and findings are kept, or the link may be mistyped.',
    measuredWhat: { speed: 'Speed', distance: 'Distance', time: 'Time inside', duration: 'Time inside' } as Record<string, string>,
  },

  live: {
    map: 'Map of the waterway. Arrow keys move it, plus and minus zoom.',
    walk: 'Boats and findings on the map; arrow keys walk, Enter chooses',
    zoomIn: 'Zoom in', zoomOut: 'Zoom out', layers: 'Layers', whole: 'Whole waterway', locate: 'My position',
    key: 'Speed against the limit in force',
    keySteps: ['≤ 80 %', 'to limit', '+25 %', 'to 2×', '> 2×'],
    crowd: (boats: number, names: number) => `${count(boats, 'boat', 'boats')}, names for ${names}`,
    noBoats: 'No boats have reported yet.',
    noBoatsSince: (clock: string) => `No boats have reported since ${clock}.`,
    mapComing: 'The map is on its way.',
    noMap: 'This waterway has no published map, so nothing is judged.',
    mapFault: (why: string) => `The map could not be loaded: ${why}`,
    here: (n: number) => `${count(n, 'boat', 'boats')} here`,
    columns: { boat: 'Boat', speed: 'Speed', limit: 'Limit', nearest: 'Nearest', age: 'Fix' },
    ago: (age: string) => `${age} ago`,
    fix: (age: string, accuracy: string | null) => `fix ${age} ago${accuracy ? ` · ±${accuracy}` : ''}`,
    speed: 'Speed', limitHere: 'Limit here', nearest: 'Nearest', noLimit: 'no limit', unknownClass: 'Boat',
    towing: 'towing', atRest: 'at rest', atDock: 'at a dock', trolling: 'trolling', lost: 'lost',
    notJudged: (why: string) => `Not judged: ${why}`,
    follow: 'Follow', unfollow: 'Stop following', followEnded: 'Following ended, the map was moved.',
    track: 'Track', recorded: 'This look is recorded.',
    tow: (state: string, rope: string, by: string | null) => `Towing, skier ${state}, rope ${rope}${by ? `, ${by}` : ''}`,
    to: (what: string) => `to ${what}`,
    class: (name: string | null | undefined) => (name && CLASS[name]) || 'Boat',
    kind: (kind: string) => KIND[kind] ?? kind.replaceAll('_', ' '),
    limit: 'limit', permit: (ids: string) => `Permit ${ids}`,
    fromYou: (distance: string, bearing: number) => `${distance} from you, bearing ${bearing}°`,
    layerNames: {
      strip: 'Strip along shore and docks', inshore: 'Inshore areas', zones: 'Speed zones', permits: 'Permits, courses, mooring',
      circ: 'Direction of travel', docks: 'Docks, ramps, floats', buoys: 'Buoys', tails: 'Tails', names: 'Names', pins: 'Findings that ended',
    } as Record<string, string>,
  },

  actions: {
    dive: 'Dive flag', swimmer: 'Swimmer', tow: 'Tow', visibility: 'Visibility',
    putOut: 'Put out', takeIn: 'Take in', extend: '30 min longer', set: 'Set',
    place: 'Move the map under the cross, or click the place.',
    outside: 'This place is not on the water.',
    doubled: 'There is a flag within the distance already.',
    myPlace: (error: string) => `At my position ± ${error}`,
    atBoat: (name: string) => `At ${name}`,
    until: 'Until',
    spans: { m15: '15 min', m30: '30 min', h1: '1 h', h2: '2 h', sunset: 'sunset' },
    inForce: (kind: string, since: string) => `${kind} in force since ${since}`,
    left: (span: string) => `${span} left`,
    taken: (kind: string) => `${kind} taken in`,
    markName: (kind: string) => (kind === 'dive_flag' ? 'Dive flag' : kind === 'swimmer' ? 'Swimmer' : (KIND[kind] ?? kind)),
    chooseBoat: 'Choose a boat on the map first.',
    startTow: 'Start tow', endTow: 'End tow', rope: 'Rope', persons: 'Persons', up: 'Skier up', down: 'Skier down',
    towSet: (name: string) => `Tow declared for ${name}`,
    towEnded: (name: string) => `Tow of ${name} ended`,
    weather: 'Weather', weathers: { fog: 'Fog', mist: 'Mist', snow: 'Snow', heavy_rain: 'Heavy rain', clear: 'Clear' } as Record<string, string>,
    distance: 'Visibility',
    confirm: (boats: number, until: string) => `Restricted visibility will be judged for ${count(boats, 'boat', 'boats')} under way until ${until}.`,
    conditionsSet: 'Visibility set',
    ends: 'ends soon',
  },

  review: {
    period: 'Period', from: 'From', to: 'To', load: 'Show', boat: '+ Boat', copy: 'Copy link', copied: 'Link copied', print: 'Print', export: 'Export',
    upload: 'Recording', uploadTitle: 'Review a recording',
    uploadHow: 'Any format that replay reads. It is judged under the law in force and not stored.',
    notStored: 'Not stored: only in this window.', leave: 'The recording is not stored and is gone when you leave. Leave?',
    play: 'Play', pause: 'Pause', stepBack: 'One fix back', stepOn: 'One fix on', start: 'To the beginning', end: 'To the end',
    previousFinding: 'Previous finding', nextFinding: 'Next finding', rate: 'Speed of play', at: 'Time', slows: 'Slow at findings',
    overview: 'Overview', lanes: 'Boats over time', speed: 'Speed', distance: 'Distance', limitInForce: 'limit in force',
    gap: (span: string) => `${span} gap, not judged`,
    judged: (judged: string, not: string) => `judged ${judged}, not judged ${not}`,
    refused: (n: number) => `${count(n, 'fix', 'fixes')} not used`,
    skierEstimated: 'skier (estimated)', skier: 'skier',
    follow: (letter: string) => `Follow ${letter}`,
    none: 'No boat in this period.', noneHow: 'Choose another period, or let the daemon hear some boats first.',
    tooLong: 'At most 24 h at once.', table: 'Values as a table',
    zoom: 'Zoom to selection', wholePeriod: 'Whole period', selection: (span: string, run: string, mean: string, peak: string) => `${span}, ${run}, mean ${mean}, peak ${peak}`,
    tip: 'Drag over a chart to measure a span.',
    explained: 'Explained', record: 'Record', findingsHere: (n: number) => count(n, 'finding in this period', 'findings in this period'),
    others: (n: number) => `+ ${n}`,
    last: { m15: 'last 15 min', h1: 'last hour', h6: 'last 6 h', h24: 'last 24 h' },
    utcOffset: 'UTC offset, if the recording has none', chooseFile: 'Choose a file',
    to_: (feature: string) => `to ${feature}`,
  },

  edit: {
    draft: 'Draft', published: 'Published', both: 'Both', undo: 'Undo', redo: 'Redo', what: 'What would change', publish: 'Publish', newDraft: 'New draft', draftName: 'Name of the draft',
    start: 'Choose a draft, or begin one from the map in force.', on: (version: string) => `on ${version.slice(0, 8)}`, begin: 'Begin a draft', deleteDraft: 'Delete this draft', reallyDelete: 'Delete the draft for good?',
    looking: 'You are looking at the published map.', saving: 'Saving', saved: 'Saved', unsaved: (why: string) => `Not saved: ${why}`,
    tools: { select: 'Select', point: 'Point', line: 'Line', area: 'Area' }, kindOf: 'Kind', remove: 'Delete', import: 'Import',
    tabs: { features: 'Features', lint: 'Lint', form: 'Form', past: 'Past', what: 'Effect' }, search: 'Find a feature',
    lint: (errors: number, warnings: number) => `Lint ${errors}E ${warnings}W`, nothing: 'Nothing to mend.', show: 'Show', mend: 'How to mend it', blocked: (n: number) => `${count(n, 'error blocks', 'errors block')} publishing: see Lint.`,
    severity: { error: 'Error', warning: 'Warning', note: 'Note' } as Record<string, string>,
    form: { id: 'Id', name: 'Name', kind: 'Kind', lit: 'Lit at night', line: 'Buoy line', order: 'Number in the line', speed_limit: 'Speed limit', hours: 'Hours', permit: 'Permit', vessels: 'Boats (ids, with commas)', valid_from: 'Valid from', valid_until: 'Valid until', note: 'Note', source: 'Source', other: 'Other properties', corners: 'Corners', lat: 'Latitude', lon: 'Longitude', yes: 'yes', no: 'no', unknown: 'not said' },
    bareLimit: 'A limit needs its unit: 5 mph, 8 km/h or 4 kn.', season: 'A time such as 2026-07-04T09:00:00Z, or MM-DD for every year.', place: 'Decimal degrees, or as in 47°38.9\'N.', badPlace: 'This cannot be read as a position.', noneChosen: 'Choose a feature on the map or in the list.', tooMany: (n: number) => `${n.toLocaleString('en')} corners: too many to drag here. Positions can be typed.`,
    changes: 'Changes', added: 'added', removed: 'removed', changed: 'changed', noChanges: 'No changes against the published map.', reorder: 'Reorder: click the buoys in turn', reorderDone: 'Done',
    run: 'Run', period: 'Period', days: (n: number) => `last ${count(n, 'day', 'days')}`, gained: 'Gained', lost: 'Lost', otherOdds: 'Other odds', same: 'Same', progress: (done: number) => `${Math.round(done * 100)} %`, failed: (why: string) => `The run failed: ${why}`,
    comment: 'What was changed, and why', skip: 'Reason to publish without looking what would change', needRun: 'Geometry or limits change: run “What would change” first, or say why not.', publishNow: 'Publish now', publishedNow: (version: string, isMerged: boolean, fault: string | null) => `Published as ${version.slice(0, 8)}${isMerged ? ', with what was published meanwhile' : ''}${fault ? `, but not in force: ${fault}` : ''}.`, summary: (changes: number, gained: number | null, lost: number | null) => `${count(changes, 'change', 'changes')}${gained === null ? '' : `, ${count(gained, 'finding', 'findings')} gained, ${lost} lost`}`,
    conflict: 'Someone published another version meanwhile', conflictWhy: 'What only one side changed is merged. For each feature that both changed, choose.', mine: 'Keep mine', theirs: 'Keep theirs', merged: 'Merge and go on', features: (n: number) => count(n, 'feature', 'features'),
    importHow: 'GeoJSON, KML, GPX, CSV or a zipped shapefile. Nothing is written before the last step.', read: (n: number, kind: string) => `${count(n, 'feature', 'features')} read from ${kind}`, swap: 'Swap latitude and longitude', within: (n: number, all: number) => `${n} of ${all} positions lie within this waterway`, withinSwapped: (n: number, all: number) => `swapped, ${n} of ${all} lie within`, unitFor: 'Unit of bare speed limits', take: 'Take into the draft', doubles: (n: number) => `${count(n, 'id is', 'ids are')} there already and will be replaced`,
    makeDraft: 'Make this the draft', by: (author: string | null) => author ?? 'unknown', snap: 'Hold Alt to draw without snapping.', placeHere: 'Place here', toShore: (distance: string) => `${distance} to the shore`,
  },

  vessels: {
    title: 'Vessels', search: 'Search', purpose: 'Why do you open this boat? It is written to the audit log.', purposes: ['incident', 'complaint', 'patrol', 'device check', 'other'],
    open: 'Open', columns: { name: 'Name', fix: 'Newest fix', judged: 'Judged', findings: 'Findings', interval: 'Usual interval', class: 'Class' },
    none: 'No boat matches.', day: 'Day', never: 'never', recorded: 'This look is recorded.',
  },

  admin: {
    title: 'Admin',
    pages: { sources: 'Sources', rulebook: 'Rulebook', accounts: 'Accounts', tokens: 'API tokens', retention: 'Retention', audit: 'Audit log', health: 'Health' } as Record<string, string>,
    sources: (healthy: number, silent: number) => `${healthy} healthy, ${silent} silent`,
    refused: 'Refused', rate: 'Rate', lastHeard: 'Last heard', source: 'Source',
    user: 'User', role: 'Role', created: 'Since', add: 'Add', remove: 'Remove', name: 'Name', password: 'Password', newToken: 'Shown once, copy it now:',
    when: 'When', who: 'Who', what: 'What', vessel: 'About', why: 'Purpose', none: 'Nothing here yet.',
    roleName: (role: Role) => ROLE[role], confirmRemove: (name: string) => `Remove ${name}?`,
    rules: 'Rules', toml: 'As a file', changePassword: 'Change my password', oldPassword: 'Old password', newPassword: 'New password', changed: 'Password changed.',
    retention: 'Tracks without findings are removed after the time set in the daemon’s configuration; findings stay.',
  },

  public: { inForce: 'In force now', noBoats: 'Zones and counts only: no boats, no names.', counts: 'Findings by day', cap: 'on open water', night: 'at night', wake: (strip: string) => `within ${strip} of shore, docks, buoys and swimmers`, day: 'Day', breach: 'Breach', possible: 'Possible' },

  errors: {
    title: 'Something did not work',
    retry: 'Try again',
    notFound: 'There is no such page.',
    toLive: 'To the live map',
    forbidden: (role: string) => `This needs the role ${role}.`,
    map: 'The map could not be drawn: this browser offers no WebGL. The lists work without it.',
    stillWorks: 'The rest of the console goes on working.',
  },

  keys: {
    title: 'Keys', list: [
      ['J, K', 'next, previous finding'], ['Enter', 'open'], ['A', 'acknowledge'], ['N W C D', 'note, warn, cite, dismiss'], ['R', 'review'],
      ['F', 'follow'], ['G then L R F M V', 'go to Live, Review, Findings, Map, Vessels'], ['/', 'search'], ['L', 'layers'], ['U', 'units'],
      ['Space', 'play'], ['← →', 'one fix'], ['Shift + ← →', '10 s'], ['[ ]', 'previous, next finding'], ['Ctrl+Z', 'undo'], ['?', 'this list'],
    ] as [string, string][], on: 'Keys are on',
  },

  settings: {
    title: 'Settings', units: 'Add units', none: 'rulebook only', red: 'Red filter', sun: 'Full sun', dim: 'Dimmer', sound: 'Sound', palette: 'Colours', about: 'Licences',
    account: 'Account',
  },

  announce: {
    one: (text: string, vessel: string) => `New breach: ${vessel}. ${text}`,
    more: (n: number) => `${n} more`,
  },
};
