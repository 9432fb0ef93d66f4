/** Two texts line by line: what stands in one alone, with its numbers, and what is the same, folded where it is long. */

export interface Line {
  kind: 'same' | 'gone' | 'new';
  /** Number in the first text, in the second, from 1. */
  before: number | null;
  after: number | null;
  text: string;
}

/** Lines that are shown, or so many of the same that are folded. */
export type Part = { isFolded: boolean; lines: Line[] };

/** So many lines of what is the same stay around what differs. */
const AROUND = 3;
/** Texts that differ in more than this (lines times lines) are shown as one taken for the other. */
const MOST_CELLS = 9_000_000;

const linesOf = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);

/** Every line of both, what is gone before what is new in its place. */
export function lineDiff(first: string, second: string): Line[] {
  const [a, b] = [linesOf(first), linesOf(second)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  const same = (): void => void lines.push({ kind: 'same', before: ++i, after: ++j, text: a[i - 1]! });
  const gone = (): void => void lines.push({ kind: 'gone', before: ++i, after: null, text: a[i - 1]! });
  const fresh = (): void => void lines.push({ kind: 'new', before: null, after: ++j, text: b[j - 1]! });
  while (i < head) same();
  const [n, m] = [a.length - head - tail, b.length - head - tail];
  if (n * m <= MOST_CELLS) {
    // How many lines the rests from (x, y) on have in common, at most.
    const wide = m + 1;
    const common = new Uint32Array((n + 1) * wide);
    for (let x = n - 1; x >= 0; x--)
      for (let y = m - 1; y >= 0; y--)
        common[x * wide + y] =
          a[head + x] === b[head + y]
            ? common[(x + 1) * wide + y + 1]! + 1
            : Math.max(common[(x + 1) * wide + y]!, common[x * wide + y + 1]!);
    while (i < head + n && j < head + m) {
      const [x, y] = [i - head, j - head];
      if (a[i] === b[j]) same();
      else if (common[(x + 1) * wide + y]! >= common[x * wide + y + 1]!) gone();
      else fresh();
    }
  }
  while (i < head + n) gone();
  while (j < head + m) fresh();
  while (i < a.length) same();
  return lines;
}

/** Folds long runs of what is the same. */
export function folded(lines: readonly Line[]): Part[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach((line, i) => {
    if (line.kind !== 'same') isNear.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const parts: Part[] = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (end < lines.length && isNear[end] === isNear[i]) end++;
    const isFolded = !isNear[i] && end - i > 1;
    const before = parts.at(-1);
    if (!isFolded && before && !before.isFolded) before.lines.push(...lines.slice(i, end));
    else parts.push({ isFolded, lines: lines.slice(i, end) });
    i = end;
  }
  return parts;
}
