// A made-up afternoon on the lake of tests/data: boats of every class and state, so that a picture shows them all.
import { at, KN_PER_MPH, sleep } from './boats.mjs';

const MPS_PER_MPH = 0.44704;

/** To and fro between two places; where it is and where to it heads after `s` seconds. */
const shuttle = (from, to, mph) => (s) => {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const turns = (s * mph * MPS_PER_MPH) / Math.hypot(dx, dy);
  const isBack = Math.floor(turns) % 2 === 1;
  const share = isBack ? 1 - (turns % 1) : turns % 1;
  const cog_deg = ((Math.atan2(isBack ? -dx : dx, isBack ? -dy : dy) * 180) / Math.PI + 360) % 360;
  return { ...at(from[0] + share * dx, from[1] + share * dy), sog_kn: mph * KN_PER_MPH, cog_deg };
};

/** Round an ellipse, counterclockwise, at about `mph`. */
const round =
  (x, y, rx, ry, mph, first = 0) =>
  (s) => {
    const turn = first + (s * mph * MPS_PER_MPH) / Math.sqrt((rx * rx + ry * ry) / 2);
    const cog_deg = ((Math.atan2(-rx * Math.sin(turn), ry * Math.cos(turn)) * 180) / Math.PI + 360) % 360;
    return { ...at(x + rx * Math.cos(turn), y + ry * Math.sin(turn)), sog_kn: mph * KN_PER_MPH, cog_deg };
  };

/** 50 ft off the north-east corner of dock D-1, which is at (2, -520), straight away from it. */
export const EDGE = [2 + 15.24 * Math.SQRT1_2, -520 + 15.24 * Math.SQRT1_2];
const still = (x, y) => () => ({ ...at(x, y), sog_kn: 0 });

const BOATS = [
  ['WN-4417', 'WN 4417 RX', 'motorboat', shuttle([-80, -510], [60, -510], 14)],
  ['WN-2290', 'WN 2290 KD', 'motorboat', shuttle([-40, 490], [150, 490], 5.2)],
  ['WN-7702', 'WN 7702 TT', 'motorboat', round(-250, 60, 260, 150, 28)],
  ['marine-2', 'Marine 2', 'patrol', round(430, -170, 180, 100, 18, 2)],
  ['WN-1180', 'WN 1180 AB', 'motorboat', round(120, 80, 480, 230, 22, 4)],
  ['windrose', 'Windrose', 'sailboat', shuttle([-250, 260], [150, 330], 6)],
  ['kayak-12', 'Kayak 12', 'nonmotorized', shuttle([-500, 300], [-420, 200], 3)],
  ['kayak-15', 'Kayak 15', 'nonmotorized', shuttle([-520, 310], [-440, 210], 3)],
  ['WN-3077', 'WN 3077', 'pwc', round(560, 150, 120, 100, 29, 1)],
  ['WN-9031', 'WN 9031', 'motorboat', still(260, -330)],
  ['barge', 'Dive barge', 'commercial', still(430, 250)],
  ['WN-8840', 'WN 8840', 'motorboat', shuttle([-700, -240], [-700, -160], 4.5)],
  ['WN-6610', '', '', still(-350, -150)],
  // On the edge of the strip, 50 ft from a corner of dock D-1.
  ['WN-5050', 'WN 5050', 'motorboat', () => ({ ...at(...EDGE), sog_kn: 4 * KN_PER_MPH, cog_deg: 20 })],
];

/** Boats side by side past dock D-1, and more of them along the shore in the east, all above the limit. */
const beside = (from, to, mph, x, y) => shuttle([from[0] + x, from[1] + y], [to[0] + x, to[1] + y], mph);
const FLOTILLAS = [
  ...[0, 6].map((y, i) => [`pair-${i + 1}`, `Pair ${i + 1}`, beside([-40, 490], [150, 490], i ? 5.2 : 13, 5 * i, y)]),
  ...[0, 4, 9].map((x, i) => [`raft-${i + 1}`, `Raft ${i + 1}`, beside([-80, -512], [60, -512], 14, x, 2 * (i % 2))]),
  ...[0, 1, 2, 3, 4, 5].map((i) => [
    `row-${i + 1}`,
    `Row ${i + 1}`,
    beside([924, -80], [924, 80], i < 4 ? 13 : 5.2, 2 * (i % 3), 4 * i),
  ]),
];

/** Of the afternoon: one boat falls silent, one was lost before, one tows. */
async function lonely(tracker, tell, began) {
  await tracker.publish('buoyline/vessels/WN-0452/profile', { name: 'WN 0452', class: 'sailboat' });
  await tracker.publish('buoyline/vessels/WN-0001/profile', { name: 'WN 0001', class: 'motorboat' });
  const silent = shuttle([-620, 120], [-560, 60], 5);
  const lost = shuttle([-150, -260], [-60, -300], 6);
  for (let s = 20; s > 0; s--) {
    await tell('WN-0452', silent(20 - s), began - s * 1000);
    await tell('WN-0001', lost(20 - s), began - 330_000 - s * 1000);
  }
  await tracker.publish('buoyline/vessels/WN-1180/activity', {
    t: new Date(began).toISOString(),
    towing: { state: 'up', rope_m: 23, persons: 1 },
    observer_age: 20,
  });
}

/** Sends profiles and one fix a second of every boat until `stop`. */
async function boating(tracker, list, more) {
  for (const [id, name, kind] of list)
    if (name) await tracker.publish(`buoyline/vessels/${id}/profile`, { name, class: kind, length_m: 6.4 });
  const began = Date.now();
  const tell = (id, fix, ms) =>
    tracker.publish(`buoyline/vessels/${id}/fix`, { t: new Date(ms).toISOString(), accuracy_m: 4, ...fix });
  await more?.(tracker, tell, began);
  let isOn = true;
  const sailing = (async () => {
    while (isOn) {
      const now = Date.now();
      await Promise.all(list.map(([id, , , way]) => tell(id, way((now - began) / 1000), now)));
      await sleep(Math.max(0, 1000 - (Date.now() - now)));
    }
  })();
  return {
    stop() {
      isOn = false;
      return sailing;
    },
  };
}

export const afternoon = (tracker) => boating(tracker, BOATS, lonely);

/** Boats with findings close to one another, for plates that would cover each other. */
export const flotillas = (tracker) =>
  boating(
    tracker,
    FLOTILLAS.map(([id, name, way]) => [id, name, 'motorboat', way]),
  );
