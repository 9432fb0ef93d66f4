/** How much of the last hour was judged, and why not the rest; whether the sources are heard. Quiet is not clean. */
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client';
import { isSilent, type HeardSource } from '../store/sources';
import { here } from '../store/store';
import { age, msOf, span } from '../time';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import '../style/judged.css';

type Why = 'gap' | 'jump' | 'off_water' | 'silent';

interface Share {
  judged_s: number;
  not_judged_s: Record<Why, number>;
  refused: Record<string, number>;
}

interface OfWaterway extends Share {
  at: string;
  from: string;
  boats: (Share & { id: string; name: string | null })[];
}

const AGAIN_MS = 20_000;
const MOST = 100;
const WHYS: Why[] = ['gap', 'silent', 'jump', 'off_water'];

const notJudged = (share: Share): number => WHYS.reduce((sum, why) => sum + share.not_judged_s[why], 0);

/** "gap 4 min, off the water 20 s, 12 fixes late" */
function reasons(share: Share): string {
  const j = words.live.judged;
  const spans = WHYS.filter((why) => share.not_judged_s[why] >= 1).map((why) =>
    j.why(why, span(share.not_judged_s[why])),
  );
  const fixes = Object.entries(share.refused).map(([reason, n]) => j.refused(reason.replaceAll('_', ' '), n));
  return [...spans, ...fixes].join(', ');
}

export function Judged({ onChoose }: { onChoose: (id: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const place = here.value;
  const loaded = useLoaded(
    async (signal) => {
      if (!place) return null;
      const of = ask<OfWaterway>(`/waterways/${encodeURIComponent(place)}/judged`, { signal });
      const sources = ask<HeardSource[]>('/sources', { signal });
      return { of: await of, sources: await sources };
    },
    [place],
  );
  useEffect(() => {
    const timer = setInterval(loaded.again, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  if (!loaded.value) return null;
  const { of, sources } = loaded.value;
  const j = words.live.judged;
  const silent = sources.filter(isSilent).length;
  const not = notJudged(of);
  const isShort = msOf(of.at) - msOf(of.from) < 3_590_000;
  return (
    <section class="judged" aria-label={j.title}>
      <button type="button" class="judged-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span>
          {j.sum(of.boats.length, span(of.judged_s))}
          {not >= 1 && <b>{j.not(span(not))}</b>}
        </span>
        <span class={silent ? 'is-warning' : 'is-second'}>
          {j.sources(words.admin.sources(sources.length - silent, silent))}
        </span>
      </button>
      {isOpen && (
        <div class="judged-body">
          <p class="is-second">
            {isShort ? j.sinceStart(span((msOf(of.at) - msOf(of.from)) / 1000)) : j.how}
            {reasons(of) && ` ${j.because(reasons(of))}`}
          </p>
          {of.boats.length > 0 && (
            <table class="table">
              <thead>
                <tr>
                  <th>{words.live.columns.boat}</th>
                  <th class="is-number">{j.judged}</th>
                  <th>{j.notJudged}</th>
                </tr>
              </thead>
              <tbody>
                {of.boats.slice(0, MOST).map((boat) => (
                  <tr key={boat.id}>
                    <td>
                      <button type="button" class="link" onClick={() => onChoose(boat.id)}>
                        {boat.name ?? boat.id}
                      </button>
                    </td>
                    <td class="is-number">{span(boat.judged_s)}</td>
                    <td>{reasons(boat) || '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {of.boats.length > MOST && <p class="is-second">{j.more(of.boats.length - MOST)}</p>}
          <table class="table">
            <thead>
              <tr>
                <th>{words.admin.source}</th>
                <th>{words.admin.lastHeard}</th>
                <th class="is-number">{j.usual}</th>
              </tr>
            </thead>
            <tbody>
              {sources.map((source) => (
                <tr key={source.name}>
                  <td>{source.name}</td>
                  <td class={isSilent(source) ? 'is-warning' : undefined}>
                    {source.last_message_age_s === null
                      ? j.never
                      : `${words.live.ago(age(source.last_message_age_s))}${isSilent(source) ? `, ${j.silent}` : ''}`}
                  </td>
                  <td class="is-number">{source.usual_interval_s === null ? '–' : j.every(source.usual_interval_s)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
