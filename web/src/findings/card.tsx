/** A finding as a card: verdict, odds, state, time, sentence, boat, rule, citation, without opening it. */
import type { Finding } from '../api/types';
import { boats, nameOf } from '../store/boats';
import { needsSomeone } from '../store/store';
import { minuteNow, secondNow } from '../store/clock';
import { age, clock, dateUnlessToday, inUtc, msOf, zoneLetters } from '../time';
import { words } from '../words/en';
import { Glyph } from '../ui/icons';
import { OutcomeButtons } from './outcomes';

export const boatName = (id: string): string => {
  const boat = boats.get(id);
  return boat ? nameOf(boat) : id;
};

/** "(SMC 10.14.140(B)(5); possible, 50 % likely)" at the end of a sentence: what every card says in its own places. */
const TAIL = /\s*\((?:[^()]|\([^()]*\))*; (?:possible|breach), [^()]*\)\.?$/;

/** The part of the sentence before its semicolon says what happened, the rest what was allowed. */
export function Sentence({ text: whole }: { text: string }) {
  const text = whole.replace(TAIL, '');
  const cut = text.indexOf(';');
  if (cut < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, cut + 1)}
      <span class="is-rest">{text.slice(cut + 1)}</span>
    </>
  );
}

export function StateChip({ finding }: { finding: Finding }) {
  const isOpen = finding.status === 'open';
  const since = isOpen ? age((secondNow.value - msOf(finding.start)) / 1000) : '';
  const text =
    finding.state === 'new' && !isOpen
      ? words.findings.state('new')
      : needsSomeone(finding)
        ? `${words.findings.state('open')}${since ? ` · ${since}` : ''}`
        : words.findings.state(finding.state);
  return <span class={needsSomeone(finding) ? 'state is-needed' : 'state'}>{text}</span>;
}

export function doneMark(finding: Finding): 'check' | 'cross' | null {
  if (finding.state === 'dismissed' || finding.state === 'withdrawn') return 'cross';
  return finding.state === 'noted' || finding.state === 'warned' || finding.state === 'cited' ? 'check' : null;
}

export function Verdict({ finding }: { finding: Finding }) {
  return (
    <>
      <Glyph verdict={finding.verdict} done={doneMark(finding)} />
      <b class={doneMark(finding) ? 'verdict' : `verdict is-${finding.verdict}`}>
        {words.findings.verdict[finding.verdict]}
      </b>
      <span class="odds">
        {finding.is_weak ? `${words.findings.weakLead} · ` : ''}
        {words.findings.odds(finding.confidence)}
      </span>
    </>
  );
}

interface CardProps {
  finding: Finding;
  zone: string;
  isChosen: boolean;
  hasButtons?: boolean;
  /** Other clauses of the same pass. */
  also?: number;
  onChoose: () => void;
}

export function Card({ finding, zone, isChosen, hasButtons, also = 0, onChoose }: CardProps) {
  const start = msOf(finding.start);
  const kind = doneMark(finding) ? 'is-done' : finding.is_weak ? 'is-weak' : `is-${finding.verdict}`;
  return (
    <li class={`card ${kind}${isChosen ? ' is-chosen' : ''}`} data-finding={finding.id}>
      <button type="button" class="card-main" aria-current={isChosen ? 'true' : undefined} onClick={onChoose}>
        <span class="card-head">
          <Verdict finding={finding} />
          <StateChip finding={finding} />
        </span>
        <span class="card-text">
          <Sentence text={finding.text} />
        </span>
        <span class="card-foot">
          <time title={inUtc(start)}>
            {dateUnlessToday(start, minuteNow.value, zone)}
            {clock(start, zone)} {zoneLetters(start, zone)}
          </time>{' '}
          · {boatName(finding.vessel)}
          {finding.other ? ` · ${boatName(finding.other)}` : ''} · {finding.title} ·{' '}
          {finding.citation || finding.clause}
          {also > 0 && <b> {words.findings.alsoBroken(also)}</b>}
        </span>
      </button>
      {isChosen && hasButtons && <OutcomeButtons finding={finding} hasReview />}
    </li>
  );
}
