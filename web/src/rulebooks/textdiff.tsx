/** The texts of two rulebooks beside each other, line by line; what is the same is folded. */
import { useMemo, useState } from 'preact/hooks';
import { words } from '../words/en';
import { folded, lineDiff, type Line } from './lines';

const SIGN = { same: '', gone: '−', new: '+' };

/** `names` of the two, as the signs before their lines stand for them. */
export function TextDiff({ first, second, names }: { first: string; second: string; names: [string, string] }) {
  const parts = useMemo(() => folded(lineDiff(first, second)), [first, second]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const r = words.rulebooks;
  const [gone, fresh] = (['gone', 'new'] as const).map(
    (kind) => parts.flatMap((part) => part.lines).filter((line) => line.kind === kind).length,
  ) as [number, number];
  return (
    <>
      <h3>{r.lines(gone, fresh)}</h3>
      {gone + fresh > 0 && (
        <table class="line-diff">
          <thead>
            <tr>
              <th scope="col">{names[0]}</th>
              <th scope="col">{names[1]}</th>
              <th scope="col">
                <span class="unseen">{r.differs}</span>
              </th>
              <th scope="col">{r.text}</th>
            </tr>
          </thead>
          {parts.map((part, i) => (
            <tbody key={i}>
              {part.isFolded && !open.has(i) ? (
                <tr>
                  <td colSpan={4}>
                    <button type="button" class="link" onClick={() => setOpen(new Set([...open, i]))}>
                      {r.sameLines(part.lines.length)}
                    </button>
                  </td>
                </tr>
              ) : (
                part.lines.map((line) => <Row key={`${line.before} ${line.after}`} line={line} />)
              )}
            </tbody>
          ))}
        </table>
      )}
    </>
  );
}

function Row({ line }: { line: Line }) {
  const r = words.rulebooks;
  return (
    <tr class={`is-${line.kind}`}>
      <td class="is-number">{line.before}</td>
      <td class="is-number">{line.after}</td>
      <td class="line-sign">
        <span aria-hidden="true">{SIGN[line.kind]}</span>
        {line.kind !== 'same' && <span class="unseen">{line.kind === 'gone' ? r.onlyFirst : r.onlySecond}</span>}
      </td>
      <td>
        <code>{line.text}</code>
      </td>
    </tr>
  );
}
