// Boats of the tests: straight runs over the made-up lake of tests/data, told once a second as a tracker would.
export const LAKE = { lat: 47.65, lon: -117.08 };
const NORTH_M = 111_195;
const EAST_M = NORTH_M * Math.cos((LAKE.lat * Math.PI) / 180);
const MPH = 0.44704;
export const KN_PER_MPH = 1609.344 / 1852;

/** A place `x` metres east and `y` north of the lake's middle. */
export const at = (x, y) => ({ lat: LAKE.lat + y / NORTH_M, lon: LAKE.lon + x / EAST_M });
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Fixes of a straight run from `from` to `to` (metres) at `mph`, one a second, the last at `end_ms`. */
export function run(from, to, mph, end_ms) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const seconds = Math.floor(Math.hypot(dx, dy) / (mph * MPH));
  const cog_deg = ((Math.atan2(dx, dy) * 180) / Math.PI + 360) % 360;
  return Array.from({ length: seconds + 1 }, (_, i) => {
    const share = i / seconds;
    return {
      t: new Date(end_ms - (seconds - i) * 1000).toISOString(),
      ...at(from[0] + share * dx, from[1] + share * dy),
      sog_kn: mph * KN_PER_MPH,
      cog_deg,
      accuracy_m: 2,
    };
  });
}

/** Tells a run as it happens, one fix a second from now on; gives when each was told. */
export async function sail(tracker, vessel, from, to, mph) {
  const told = [];
  const fixes = run(from, to, mph, 0);
  for (const fix of fixes) {
    const now = Date.now();
    await tracker.publish(`buoyline/vessels/${vessel}/fix`, { ...fix, t: new Date(now).toISOString() });
    told.push(now);
    await sleep(Math.max(0, 1000 - (Date.now() - now)));
  }
  return told;
}
