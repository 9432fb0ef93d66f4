/** Two taps: acknowledge, then in the same place what came of it. Cite and dismiss ask why, by chips. */
import { useState } from 'preact/hooks';
import type { Action, Finding } from '../api/types';
import { ask } from '../api/client';
import { prefs, setPref } from '../store/prefs';
import { decide } from '../store/outcomes';
import { may, needsSomeone, notice, quiet } from '../store/store';
import { isoOf } from '../time';
import { now } from '../store/clock';
import { words } from '../words/en';
import { signal } from '@preact/signals';
import { Button, Dialog } from '../ui/parts';
import { reviewLink } from './links';

/** The outcome whose reason or text is being asked. */
export const asking = signal<{ finding: Finding; action: Action } | null>(null);

/** What an outcome needs before it can be stored. */
export function begin(finding: Finding, action: Action): void {
  if (!may('officer')) return;
  if (action === 'note' || action === 'cite' || action === 'dismiss') asking.value = { finding, action };
  else void decide(finding, action);
}

const OUTCOMES: Action[] = ['note', 'warn', 'cite', 'dismiss'];

/** The buttons of a finding. `isFull`: in the detail, where the outcomes stand even before acknowledging. */
export function OutcomeButtons({
  finding,
  isFull,
  hasReview,
}: {
  finding: Finding;
  isFull?: boolean;
  hasReview?: boolean;
}) {
  const canDecide = may('officer');
  const isFirst = needsSomeone(finding) && !isFull;
  return (
    <div class={isFirst || !canDecide ? 'outcomes' : 'outcomes is-four'}>
      {canDecide && isFirst && (
        <Button kind="primary" onClick={() => begin(finding, 'acknowledge')}>
          {words.outcomes.acknowledge}
        </Button>
      )}
      {canDecide &&
        !isFirst &&
        OUTCOMES.map((action) => (
          <Button key={action} onClick={() => begin(finding, action)}>
            {words.outcomes[action as 'note']}
          </Button>
        ))}
      {hasReview && (isFirst || !canDecide) && (
        <a class="button is-plain" href={reviewLink(finding)}>
          {words.outcomes.review}
        </a>
      )}
      {canDecide && isFirst && (
        <Button
          icon="more"
          aria-label={words.outcomes.more}
          onClick={() => (asking.value = { finding, action: 'reverse' })}
        />
      )}
    </div>
  );
}

/** Asks for the reason or the text of an outcome. */
export function OutcomeDialog() {
  const open = asking.value;
  if (!open) return null;
  const close = (): void => {
    asking.value = null;
  };
  return open.action === 'reverse' ? (
    <MoreDialog finding={open.finding} onClose={close} />
  ) : (
    <ReasonDialog key={open.finding.id + open.action} {...open} onClose={close} />
  );
}

function ReasonDialog({ finding, action, onClose }: { finding: Finding; action: Action; onClose: () => void }) {
  const reasons = words.outcomes.reasons[action] ?? [];
  const last = prefs.value.last_reason;
  const ordered = reasons.includes(last) ? [last, ...reasons.filter((one) => one !== last)] : reasons;
  const [reason, setReason] = useState<string | null>(null);
  const [text, setText] = useState('');
  const needsText = action === 'note' || reason === 'other';
  const store = (chosen: string | null): void => {
    if (chosen) setPref({ last_reason: chosen });
    void decide(finding, action, { reason: chosen ?? undefined, text: text.trim() || undefined });
    onClose();
  };
  const title =
    action === 'note'
      ? words.outcomes.noteText
      : action === 'cite'
        ? words.outcomes.whyCite
        : words.outcomes.whyDismiss;
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="is-second">{finding.text}</p>
      {ordered.length > 0 && (
        <div class="reasons">
          {ordered.map((one) => (
            <Button
              key={one}
              aria-pressed={one === reason}
              onClick={() => (one === 'other' ? setReason(one) : store(one))}
            >
              {one}
            </Button>
          ))}
        </div>
      )}
      <label class="field">
        <span>{words.outcomes.text}</span>
        <textarea rows={3} value={text} autofocus={needsText} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {needsText && (
        <Button kind="primary" disabled={!text.trim()} onClick={() => store(reason)}>
          {words.outcomes.store}
        </Button>
      )}
    </Dialog>
  );
}

/** Everything beside the first tap: the outcomes at once, and quiet. */
function MoreDialog({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const hush = async (hours: number | 'pass'): Promise<void> => {
    // A pass under way is given ten minutes; one that is over is quiet up to its end.
    const until = hours === 'pass' ? (finding.end ?? isoOf(now() + 600_000)) : isoOf(now() + hours * 3600_000);
    const from = hours === 'pass' ? finding.start : undefined;
    try {
      const entry = await ask<(typeof quiet.value)[number]>('/quiet', {
        method: 'POST',
        body: { vessel: finding.vessel, rule: finding.rule, from, until },
      });
      quiet.value = [...quiet.value, entry];
      notice.value = { text: words.outcomes.quieted(finding.vessel) };
    } catch (cause) {
      notice.value = { text: words.outcomes.failed((cause as Error).message), isError: true };
    }
    onClose();
  };
  const endOfDay = Math.max(1, 24 - new Date(now()).getHours());
  return (
    <Dialog title={words.outcomes.more} onClose={onClose}>
      <p class="is-second">{finding.text}</p>
      <div class="reasons">
        {OUTCOMES.map((action) => (
          <Button
            key={action}
            onClick={() => {
              onClose();
              begin(finding, action);
            }}
          >
            {words.outcomes[action as 'note']}
          </Button>
        ))}
      </div>
      <h3>{words.outcomes.quiet}</h3>
      <div class="reasons">
        <Button onClick={() => void hush('pass')}>{words.outcomes.quietFor.pass}</Button>
        <Button onClick={() => void hush(1)}>{words.outcomes.quietFor.hour}</Button>
        <Button onClick={() => void hush(endOfDay)}>{words.outcomes.quietFor.today}</Button>
      </div>
    </Dialog>
  );
}
