/** Compare: by which other law, and what differs. */
import { useState } from 'preact/hooks';
import { countsOf } from '../api/job';
import { ask } from '../api/client';
import type { MapVersion } from '../api/types';
import { Sentence, Verdict } from '../findings/card';
import { shownMap } from '../map/view';
import { setQuery } from '../route';
import { here, zone } from '../store/store';
import { clock, day, inUtc, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Choice, Dialog, Failure, Field, Pick, Waiting } from '../ui/parts';
import { compareWith, comparison, differences, endComparison, KIND } from './comparison';
import { chosenIds, review, setCursor } from './state';
import type { Finding } from '../api/types';

type Version = MapVersion & { n: number; is_in_force: boolean };

/** "v14 · 3 Jul 2026 · north buoys" */
const versionText = (one: Version): string =>
  [`v${one.n}`, day(msOf(one.at), zone.value), one.comment].filter(Boolean).join(' · ');

export function CompareDialog({ onClose }: { onClose: () => void }) {
  const c = words.review.compare;
  const [kind, setKind] = useState<'map' | 'rules'>('map');
  return (
    <Dialog title={c.title} onClose={onClose}>
      <p class="is-second">{c.how}</p>
      <Choice
        label={c.by}
        options={Object.entries(c.kinds) as ['map' | 'rules', string][]}
        value={kind}
        onChange={setKind}
      />
      {kind === 'map' ? <ByMap onDone={onClose} /> : <ByRules onDone={onClose} />}
    </Dialog>
  );
}

function ByMap({ onDone }: { onDone: () => void }) {
  const c = words.review.compare;
  const loaded = useLoaded(
    (signal) => ask<Version[]>(`/waterways/${encodeURIComponent(here.value!)}/versions`, { signal }),
    [here.value],
  );
  const others = (loaded.value ?? []).filter((one) => !one.is_in_force);
  const [version, setVersion] = useState('');
  if (loaded.fault) return <Failure title={words.errors.title} fault={loaded.fault} onRetry={loaded.again} />;
  if (!loaded.value) return <Waiting rows={1} />;
  if (!others.length) return <p>{c.oneMap}</p>;
  const chosen = others.find((one) => one.version === version) ?? others[0]!;
  return (
    <>
      <Pick
        label={c.version}
        value={chosen.version}
        options={others.map((one) => [one.version, versionText(one)] as const)}
        onChange={setVersion}
      />
      <Button
        kind="primary"
        onClick={() => {
          setQuery({ map: chosen.version }, true);
          void compareWith({ kind: 'map', version: chosen.version, name: versionText(chosen) });
          onDone();
        }}
      >
        {c.run}
      </Button>
    </>
  );
}

function ByRules({ onDone }: { onDone: () => void }) {
  const c = words.review.compare;
  const loaded = useLoaded((signal) => ask<{ toml: string }>('/rulebook', { signal }), []);
  const [typed, setTyped] = useState<string | null>(null);
  const [name, setName] = useState('');
  if (!loaded.value && !loaded.fault) return <Waiting rows={3} />;
  const toml = typed ?? loaded.value?.toml ?? '';
  return (
    <>
      <Field
        label={c.file}
        type="file"
        accept=".toml"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (!file) return;
          setName(file.name);
          void file.text().then(setTyped);
        }}
      />
      <label class="field">
        <span>{c.text}</span>
        <textarea rows={10} spellcheck={false} value={toml} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <Button
        kind="primary"
        disabled={typed === null}
        onClick={() => {
          void compareWith({ kind: 'rules', toml, name: name || c.typed });
          onDone();
        }}
      >
        {c.run}
      </Button>
    </>
  );
}

/** Goes to where and when a finding of either law was. */
function goTo({ vessel, other, peak }: Finding): void {
  const named = [vessel, other].filter((id) => id && review.value?.vessels.some((one) => one.id === id)) as string[];
  const more = named.filter((id) => !chosenIds.value.includes(id));
  if (more.length) chosenIds.value = [...chosenIds.value, ...more];
  setCursor(msOf(peak.t));
  shownMap.value?.map.jumpTo({ center: [peak.lon, peak.lat], zoom: Math.max(16, shownMap.value.map.getZoom()) });
}

/** How far the comparison is, and what differs: + gained, − lost, ~ with other odds. */
export function Compared() {
  const now = comparison.value;
  if (!now) return null;
  const c = words.review.compare;
  const { job, fault, other } = now;
  const end = (): void => {
    endComparison();
    setQuery({ map: null });
  };
  const [gained, lost, odds] = job ? countsOf(job) : [0, 0, 0];
  return (
    <section class="compared" aria-label={c.title}>
      <header>
        <h2>{c.against(c.kinds[other.kind]!, other.name)}</h2>
        <Button kind="quiet" icon="close" aria-label={c.end} onClick={end} />
      </header>
      {fault !== null && (
        <p class="is-warning" role="alert">
          {c.failed(fault)}
        </p>
      )}
      {fault === null && job?.state !== 'done' && (
        <p role="status">
          {c.progress(job?.done ?? 0)} <progress value={job?.done ?? 0} aria-label={c.title} />
        </p>
      )}
      {job?.state === 'done' && (
        <>
          <p class="compared-sum" role="status">
            <b>{c.gained(gained)}</b> · <b>{c.lost(lost)}</b> · {c.odds(odds)} · {c.same(job.same)}
          </p>
          <ul>
            {differences.value.map(({ sign, finding }) => (
              <li key={sign + finding.id}>
                <button type="button" class={`difference is-${KIND[sign]}`} onClick={() => goTo(finding)}>
                  <i aria-label={c.signs[sign]}>{sign}</i>
                  <span>
                    <span class="card-head">
                      <Verdict finding={finding} />
                      <time title={inUtc(msOf(finding.start))}>
                        {clock(msOf(finding.start), zone.value)} {zoneLetters(msOf(finding.start), zone.value)}
                      </time>
                    </span>
                    <Sentence text={finding.text} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
