/** What the check finds, numbered as on the map: what, where, why it matters, and the ways to deal with it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { Fault } from '../api/types';
import { me, zone } from '../store/store';
import { day, isoOf, msOf } from '../time';
import { now } from '../store/clock';
import { words } from '../words/en';
import { useLoaded } from '../ui/load';
import { Button, Dialog } from '../ui/parts';
import { whyItMatters, withAcceptance } from './faults';
import { fixOf } from './fix';
import { featureOf, showFeature, showPlace } from './show';
import { acceptedFaults, change, changeFeature, faults, look, source } from './state';

interface Rulebook {
  rules: { rule: string; clause: string }[];
}

/** The clauses of a rule, named by their common beginning: "SMC 10.14.140(B)". */
function clauseOf(rulebook: Rulebook | null, rule: string | null): string | null {
  const own = rulebook?.rules.filter((one) => one.rule === rule).map((one) => one.clause) ?? [];
  if (!own.length) return null;
  return own.length === 1 ? own[0]! : own[0]!.replace(/\(\d+\)$/, '');
}

function show(fault: Fault): void {
  look.value = look.value === 'published' ? 'draft' : look.value;
  if (fault.feature) showFeature(fault.feature);
  if (fault.lon != null && fault.lat != null) showPlace(fault.lon, fault.lat);
}

const settle = (fault: Fault, reason: string | null): void => {
  if (!source.value) return;
  const by = reason && {
    lint: fault.lint ?? null,
    says: fault.message,
    reason,
    by: me.value?.user ?? '',
    at: isoOf(Math.floor(now() / 1000) * 1000),
  };
  change(withAcceptance(source.value, fault, by || null));
};

export function LintList() {
  const [asked, setAsked] = useState<Fault | null>(null);
  const rulebook = useLoaded((signal) => ask<Rulebook>('/rulebook', { signal }), []).value ?? null;
  const list = faults.value;
  const accepted = acceptedFaults.value;
  const e = words.edit;
  return (
    <div class="panel-body">
      {!list.length && <p class="empty">{e.nothing}</p>}
      <ol class="lint-list">
        {list.map((fault, i) => (
          <OneFault
            key={`${fault.lint} ${fault.feature} ${fault.path} ${i}`}
            n={i + 1}
            fault={fault}
            rulebook={rulebook}
            onAccept={() => setAsked(fault)}
          />
        ))}
      </ol>
      {accepted.length > 0 && (
        <details class="accepted" open>
          <summary>{e.acceptedOnes(accepted.length)}</summary>
          <ul class="lint-list">
            {accepted.map(({ fault, by }) => (
              <li key={`${fault.feature} ${fault.message}`} class="is-accepted">
                <div>
                  <b>{e.severity[fault.severity]}</b>
                  {fault.feature ? ` · ${fault.feature}` : ''}
                  <p>{fault.message}</p>
                  <p>
                    {e.acceptedBy(by.by || '–', day(msOf(by.at), zone.value))}: “{by.reason}”
                  </p>
                  <div class="rows">
                    {fault.feature && <Button onClick={() => show(fault)}>{e.show}</Button>}
                    <Button onClick={() => settle(fault, null)}>{e.unaccept}</Button>
                  </div>
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
      {asked && (
        <AcceptDialog
          fault={asked}
          onClose={(reason) => {
            if (reason) settle(asked, reason);
            setAsked(null);
          }}
        />
      )}
    </div>
  );
}

function OneFault({
  n,
  fault,
  rulebook,
  onAccept,
}: {
  n: number;
  fault: Fault;
  rulebook: Rulebook | null;
  onAccept: () => void;
}) {
  const e = words.edit;
  const kind = fault.feature ? String(featureOf(fault.feature)?.properties?.kind ?? '') : null;
  const { rule, why } = whyItMatters(fault, kind);
  const clause = clauseOf(rulebook, rule);
  const fix = fixOf(fault);
  return (
    <li class={`fault is-${fault.severity}`}>
      <span class="lint-number">{n}</span>
      <div>
        <b>{e.severity[fault.severity]}</b>
        {fault.feature ? ` · ${fault.feature}` : ''}
        <p>{fault.message}</p>
        {fault.hint && (
          <p class="is-second">
            {e.mend}: {fault.hint}
          </p>
        )}
        <p class="is-second">
          {e.matters}: {clause ? `${clause}, ` : ''}
          {why}
        </p>
        {fault.path && (
          <p class="is-second">
            <code>{fault.path}</code>
          </p>
        )}
        <div class="rows">
          {(fault.feature || fault.lon != null) && <Button onClick={() => show(fault)}>{e.show}</Button>}
          {fix && (
            <Button title={fix.does} onClick={() => changeFeature(fault.feature!, fix.make)}>
              {e.fixIt}: {fix.does}
            </Button>
          )}
          {fault.severity === 'warning' && <Button onClick={onAccept}>{e.accept}</Button>}
        </div>
      </div>
    </li>
  );
}

function AcceptDialog({ fault, onClose }: { fault: Fault; onClose: (reason: string | null) => void }) {
  const [reason, setReason] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const e = words.edit;
  return (
    <Dialog title={e.acceptTitle} onClose={() => onClose(null)}>
      <p>
        {fault.feature ? <b>{fault.feature}: </b> : null}
        {fault.message}
      </p>
      <p class="is-second">{e.acceptHow}</p>
      <label class="field">
        <span>{e.acceptReason}</span>
        <textarea ref={box} rows={3} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <div class="rows">
        <Button kind="primary" disabled={!reason.trim()} onClick={() => onClose(reason.trim())}>
          {e.acceptDo}
        </Button>
        <Button onClick={() => onClose(null)}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}
