/** Small parts that screens share: buttons, chips, menus, dialogs, notices. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client';
import { now } from '../store/clock';
import { notice, zone } from '../store/store';
import { clock, zoneLetters } from '../time';
import { words } from '../words/en';
import { Icon, type IconName } from './icons';

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'icon'> {
  kind?: 'primary' | 'plain' | 'quiet';
  icon?: IconName;
}

export function Button({ kind = 'plain', icon, children, class: more, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button is-${kind}${children ? '' : ' is-square'}${more ? ` ${String(more)}` : ''}`}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A switch among filters. */
export function Chip({ isOn, onClick, children }: { isOn: boolean; onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
      {children}
    </button>
  );
}

/** One of several, as a row of buttons. */
export function Choice<T extends string | number>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T | null;
  onChange: (value: T) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([key, name]) => (
        <button type="button" key={key} aria-pressed={key === value} onClick={() => onChange(key)}>
          {name}
        </button>
      ))}
    </div>
  );
}

/** A select with its label, drawn by the browser so that it follows the palette. */
export function Pick<T extends string>({
  label,
  value,
  options,
  onChange,
  isBare,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  isBare?: boolean;
}) {
  return (
    <label class={isBare ? 'pick is-bare' : 'pick'}>
      <span class={isBare ? 'unseen' : undefined}>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([key, name]) => (
          <option key={key} value={key} selected={key === value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Field({
  label,
  hint,
  fault,
  ...rest
}: { label: string; hint?: string; fault?: string | null } & JSX.IntrinsicElements['input']) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...rest}
        aria-invalid={fault ? true : undefined}
        aria-describedby={hint || fault ? `${id}-more` : undefined}
      />
      {(hint || fault) && (
        <small id={`${id}-more`} class={fault ? 'is-fault' : undefined}>
          {fault ?? hint}
        </small>
      )}
    </div>
  );
}

/** A panel that opens under its button and closes on Escape, a click outside, or a choice. */
export function Menu({
  label,
  button,
  children,
  align = 'start',
}: {
  label: string;
  button: ComponentChildren;
  children: (close: () => void) => ComponentChildren;
  align?: 'start' | 'end';
}) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !box.current?.contains(event.target as Node))
        setOpen(false);
    };
    addEventListener('pointerdown', leave);
    addEventListener('keydown', leave);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('keydown', leave);
    };
  }, [isOpen]);
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        class="button is-plain"
        aria-expanded={isOpen}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && <div class={`menu-panel is-${align}`}>{children(() => setOpen(false))}</div>}
    </div>
  );
}

/** A dialog over the page; the browser keeps the focus inside. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" aria-label={words.close} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** The one notice: what was done, with its way back; stays until the next action, at least 10 s. */
export function Notice() {
  const said = notice.value;
  useEffect(() => {
    if (!said || said.action) return;
    const timer = setTimeout(() => {
      if (notice.value === said) notice.value = null;
    }, 10_000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div class="notice-place" role="status">
      {said && (
        <div class={said.isError ? 'notice is-error' : 'notice'}>
          <span>{said.text}</span>
          {said.action && (
            <Button kind="quiet" onClick={said.action.run}>
              {said.action.label}
            </Button>
          )}
          <Button kind="quiet" icon="close" aria-label={words.close} onClick={() => (notice.value = null)} />
        </div>
      )}
    </div>
  );
}

/** What failed, since when, what still works, what to do, and what to tell whoever looks after the daemon. */
export function Failure({
  title,
  text,
  fault,
  onRetry,
}: {
  title: string;
  text?: string;
  fault?: Error | null;
  onRetry?: () => void;
}) {
  const [since] = useState(now);
  const e = words.errors;
  const known = fault instanceof ApiError ? fault : null;
  return (
    <div class="failure" role="alert">
      <h2>{title}</h2>
      <p>{text ?? fault?.message}</p>
      {known?.problem.mend && <p>{known.problem.mend}</p>}
      <p class="is-second">{e.stillWorks}</p>
      <p class="is-second">
        {e.since(`${clock(since, zone.value)} ${zoneLetters(since, zone.value)}`)}
        {known && ` · ${e.reference} `}
        {known && (
          <code>
            {known.asked} {known.status || e.noAnswer}
          </code>
        )}
      </p>
      {onRetry && <Button onClick={onRetry}>{e.retry}</Button>}
    </div>
  );
}

/** Grey bars while something loads. */
export const Waiting = ({ rows = 4 }: { rows?: number }) => (
  <div class="waiting" aria-label={words.loading} role="status">
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} />
    ))}
  </div>
);
