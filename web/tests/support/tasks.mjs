// What a page's own thread did, by the browser's trace: processor time of each task, so that neither software drawing in
// another process nor other programs on the machine count.
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = new Set([
  'FunctionCall',
  'EvaluateScript',
  'v8.run',
  'RunMicrotasks',
  'TimerFire',
  'FireAnimationFrame',
]);
const CATEGORIES = ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'toplevel', 'v8'];

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** Traces `page` while `act` runs. Milliseconds of processor time. */
export async function traced(browser, page, act) {
  const path = join(tmpdir(), `buoyline-trace-${process.pid}-${Date.now()}.json`);
  await browser.trace(page, path, CATEGORIES);
  const began = Date.now();
  await act();
  const wall_s = (Date.now() - began) / 1000;
  await browser.endTrace();
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8'));
  if (process.env.KEEP_TRACE) console.error(path);
  else rmSync(path);
  return { wall_s, ...reckon(traceEvents) };
}

function reckon(events) {
  const names = events.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain');
  // The busiest page thread is the page's own; others belong to what the browser keeps beside.
  const sums = names.map(({ pid, tid }) => {
    const mine = events.filter((one) => one.pid === pid && one.tid === tid && one.ph === 'X' && one.tdur !== undefined);
    const tasks = mine
      .filter((one) => /RunTask|ThreadControllerImpl::RunTask/.test(one.name))
      .map((one) => one.tdur / 1000)
      .sort((a, b) => a - b);
    // Script within script counts once.
    let script = 0;
    let until = -Infinity;
    for (const one of mine.filter((each) => SCRIPT.has(each.name)).sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
      if (one.ts < until) continue;
      script += one.tdur / 1000;
      until = one.ts + one.dur;
    }
    const collecting = mine
      .filter((one) => /^(MajorGC|MinorGC)$/.test(one.name))
      .reduce((sum, one) => sum + one.tdur / 1000, 0);
    const all = tasks.reduce((sum, one) => sum + one, 0);
    return { tasks, script, collecting, all };
  });
  const { tasks, script, collecting, all } = sums.sort((a, b) => b.all - a.all)[0] ?? {
    tasks: [],
    script: 0,
    collecting: 0,
    all: 0,
  };
  return {
    script_ms: script,
    collecting_ms: collecting,
    all_ms: all,
    longest_ms: tasks.at(-1) ?? 0,
    p99_ms: share(tasks, 0.99),
    long: tasks.filter((ms) => ms > 50).length,
    tasks: tasks.length,
  };
}
