/** What two editors changed otherwise: base, mine and theirs side by side, and a choice for each feature. */
import type { Feature, FeatureCollection } from 'geojson';
import { useState } from 'preact/hooks';
import { words } from '../words/en';
import { Button, Choice, Dialog } from '../ui/parts';
import { Drawing } from './drawing';
import { byId, mergeThree } from './parts';

export interface Three {
  base: FeatureCollection;
  theirs: FeatureCollection;
}
type Kept = 'mine' | 'theirs' | 'edit';

export function ConflictDialog({
  three,
  mine,
  title,
  onClose,
  onMerged,
}: {
  three: Three;
  mine: FeatureCollection;
  title: string;
  onClose: () => void;
  /** The merged map, and the features that are to be edited further. */
  onMerged: (merged: FeatureCollection, toEdit: string[]) => void;
}) {
  const e = words.edit;
  const [choices, setChoices] = useState<Record<string, Kept>>({});
  const { conflicts } = mergeThree(three.base, mine, three.theirs, () => 'mine');
  const [base, own, other] = [byId(three.base), byId(mine), byId(three.theirs)];
  const merge = (): void => {
    const { merged } = mergeThree(three.base, mine, three.theirs, (id) =>
      choices[id] === 'theirs' ? 'theirs' : 'mine',
    );
    onMerged(
      merged,
      conflicts.filter((id) => choices[id] === 'edit'),
    );
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{e.conflictWhy}</p>
      {conflicts.map((id) => (
        <section class="conflict" key={id}>
          <h3>{id}</h3>
          <Three id={id} base={base.get(id)} mine={own.get(id)} theirs={other.get(id)} />
          <Choice<Kept>
            label={id}
            options={[
              ['mine', e.mine],
              ['theirs', e.theirs],
              ['edit', e.editFurther],
            ]}
            value={choices[id] ?? null}
            onChange={(value) => setChoices({ ...choices, [id]: value })}
          />
        </section>
      ))}
      <div class="rows">
        <Button kind="primary" disabled={!conflicts.every((id) => choices[id])} onClick={merge}>
          {e.merged}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function Three({ id, base, mine, theirs }: { id: string; base?: Feature; mine?: Feature; theirs?: Feature }) {
  const d = words.edit.diff;
  const all = [base, mine, theirs];
  const keys = [...new Set(all.flatMap((one) => Object.keys(one?.properties ?? {})))].filter(
    (key) => !all.every((one) => same(one?.properties?.[key], all[0]?.properties?.[key])),
  );
  const isMoved = !all.every((one) => same(one?.geometry, all[0]?.geometry));
  const shown = (one: Feature | undefined, key: string): string => {
    const value: unknown = one?.properties?.[key];
    return !one ? d.gone : value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  };
  return (
    <>
      {isMoved && (
        <>
          <Drawing
            label={d.drawing(id)}
            height={150}
            layers={[
              { look: 'is-base', geometries: base?.geometry ? [base.geometry] : [] },
              { look: 'is-theirs', geometries: theirs?.geometry ? [theirs.geometry] : [] },
              { look: 'is-mine', geometries: mine?.geometry ? [mine.geometry] : [] },
            ]}
          />
          <p class="drawing-key">
            <span class="key-base" /> {d.base} <span class="key-mine" /> {d.mine} <span class="key-theirs" /> {d.theirs}
          </p>
        </>
      )}
      {(keys.length > 0 || !mine || !theirs) && (
        <table class="table before-after-table">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{d.what}</span>
              </th>
              <th scope="col">{d.base}</th>
              <th scope="col">{d.mine}</th>
              <th scope="col">{d.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {(keys.length ? keys : ['kind']).map((key) => (
              <tr key={key}>
                <th scope="row">{words.edit.form[key as 'name'] ?? key}</th>
                <td>{shown(base, key)}</td>
                <td>{shown(mine, key)}</td>
                <td>{shown(theirs, key)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
