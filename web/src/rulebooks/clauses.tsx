/** The clauses of a rulebook and its text, as they stand. */
import { words } from '../words/en';

/** A rulebook as the daemon shows it. */
export interface Rulebook {
  name: string;
  version: string;
  edition: string;
  authority: string;
  toml: string;
  rules: { rule: string; clause: string; title: string | null; text: string | null }[];
}

export function Clauses({ rules, toml }: Pick<Rulebook, 'rules' | 'toml'>) {
  return (
    <>
      <h2>{words.admin.rules}</h2>
      <table class="table">
        <tbody>
          {rules.map((one, i) => (
            <tr key={`${one.rule} ${one.clause} ${i}`}>
              <th scope="row">{one.clause}</th>
              <td>
                <b>{one.title}</b> <code>{one.rule}</code>
                <br />
                {one.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>{words.admin.toml}</summary>
        <pre>{toml}</pre>
      </details>
    </>
  );
}
