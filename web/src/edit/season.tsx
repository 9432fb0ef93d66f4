/** Season and hours of a feature: strips to draw on, fields to type in, and the sentence that comes of it. */
import type { Feature } from 'geojson';
import { useState } from 'preact/hooks';
import { zone } from '../store/store';
import { fromLocal, isoOf, msOf, toLocal, zoneLetters } from '../time';
import { now } from '../store/clock';
import { words } from '../words/en';
import { Choice, Field } from '../ui/parts';
import { SpanStrip } from './span';
import { changeFeature } from './state';
import {
  DAYS_OF_YEAR,
  dayInWords,
  hoursInWords,
  hoursOf,
  minuteOf,
  MONTH_DAYS,
  MONTHS,
  parseDay,
  seasonInWords,
  seasonOf,
  snappedDay,
  textOfDay,
  textOfHours,
  textOfMinute,
  type Hours,
} from './when';

const YEAR = MONTHS.map((label, i) => ({
  at: MONTH_DAYS.slice(0, i).reduce<number>((sum, days) => sum + days, 0),
  label,
}));
const HOURS = Array.from({ length: 12 }, (_, i) => ({ at: i * 120, label: String(i * 2) }));
const DAY_MINUTES = 1440;

/** Both ends in one change, so that one Undo takes both back. */
function setBoth(id: string, from: string | undefined, until: string | undefined): void {
  changeFeature(id, (feature) => {
    const properties: Record<string, unknown> = { ...feature.properties };
    for (const [key, value] of [
      ['valid_from', from],
      ['valid_until', until],
    ] as const) {
      if (value === undefined) delete properties[key];
      else properties[key] = value;
    }
    return { ...feature, properties };
  });
}

export function SeasonForm({ feature, id }: { feature: Feature; id: string }) {
  const s = words.edit.when;
  const { valid_from: from, valid_until: until } = feature.properties ?? {};
  const season = seasonOf(from, until);
  const place = zone.value;
  const letters = zoneLetters(now(), place);
  const choose = (is: 'always' | 'yearly' | 'once'): void => {
    if (is === season.is) return;
    if (is === 'always') setBoth(id, undefined, undefined);
    else if (is === 'yearly') setBoth(id, '05-01', '09-30');
    else setBoth(id, isoOf(Math.ceil(now() / 3_600_000) * 3_600_000).replace('.000', ''), undefined);
  };
  return (
    <fieldset class="when">
      <legend>{s.season}</legend>
      <Choice
        label={s.season}
        options={[
          ['always', s.always],
          ['yearly', s.yearly],
          ['once', s.once],
        ]}
        value={season.is === 'unread' ? null : season.is}
        onChange={choose}
      />
      {season.is === 'yearly' && (
        <>
          <SpanStrip
            label={s.strip}
            count={DAYS_OF_YEAR}
            marks={YEAR}
            from={season.from}
            until={season.until}
            isInclusive
            step={1}
            snap={snappedDay}
            inWords={dayInWords}
            names={[s.from, s.until]}
            onChange={(first, last) => setBoth(id, textOfDay(first), textOfDay(last))}
          />
          <div class="two">
            <Typed
              label={s.from}
              value={dayInWords(season.from)}
              read={parseDay}
              fault={s.badDay}
              onChange={(first) => setBoth(id, textOfDay(first), textOfDay(season.until))}
            />
            <Typed
              label={s.until}
              value={dayInWords(season.until)}
              read={parseDay}
              fault={s.badDay}
              onChange={(last) => setBoth(id, textOfDay(season.from), textOfDay(last))}
            />
          </div>
        </>
      )}
      {season.is === 'once' && (
        <div class="two">
          {(['from', 'until'] as const).map((which) => (
            <Field
              key={which}
              label={`${s[which]} (${letters})`}
              type="datetime-local"
              value={season[which] ? toLocal(msOf(season[which]), place).slice(0, 16) : ''}
              onChange={(event) => {
                const ms = fromLocal(event.currentTarget.value, place);
                const text = ms === null ? undefined : isoOf(ms).replace('.000', '');
                if (which === 'from') setBoth(id, text, season.until ?? undefined);
                else setBoth(id, season.from ?? undefined, text);
              }}
            />
          ))}
        </div>
      )}
      {season.is === 'unread' && (
        <p class="is-warning">
          {s.unread}: <code>{String(from ?? '–')}</code> – <code>{String(until ?? '–')}</code>
        </p>
      )}
      {season.is !== 'unread' && <p class="sentence">{seasonInWords(season, place)}.</p>}
    </fieldset>
  );
}

export function HoursForm({ feature, id }: { feature: Feature; id: string }) {
  const s = words.edit.when;
  const hours = hoursOf(feature.properties?.hours);
  const set = (next: Hours): void =>
    changeFeature(id, (one) => {
      const properties: Record<string, unknown> = { ...one.properties };
      const text = textOfHours(next);
      if (text === undefined) delete properties.hours;
      else properties.hours = text;
      return { ...one, properties };
    });
  const clock = hours.is === 'clock' ? hours : null;
  return (
    <fieldset class="when">
      <legend>{s.hours}</legend>
      <Choice
        label={s.hours}
        options={[
          ['always', s.allDay],
          ['clock', s.clock],
          ['words', s.words],
        ]}
        value={hours.is}
        onChange={(is) => {
          if (is === hours.is) return;
          if (is === 'always') set({ is });
          else if (is === 'clock') set({ is, from: 600, until: 1080, days: [] });
          else set({ is, text: 'from sunset to sunrise' });
        }}
      />
      {clock && (
        <>
          <SpanStrip
            label={s.dayStrip}
            count={DAY_MINUTES}
            marks={HOURS}
            from={clock.from}
            until={clock.until}
            isInclusive={false}
            step={15}
            snap={(at, isEnd) =>
              Math.max(0, Math.min(isEnd ? DAY_MINUTES : DAY_MINUTES - 30, Math.round(at / 30) * 30))
            }
            inWords={textOfMinute}
            names={[s.from, s.until]}
            onChange={(from, until) => set({ ...clock, from, until })}
          />
          <div class="two">
            {(['from', 'until'] as const).map((which) => (
              <Typed
                key={which}
                label={s[which]}
                value={clock[which] === null ? '' : textOfMinute(clock[which])}
                read={minuteOf}
                fault={s.badClock}
                onChange={(minute) =>
                  set({ ...clock, from: clock.from ?? 0, until: clock.until ?? DAY_MINUTES, [which]: minute })
                }
              />
            ))}
          </div>
          <div class="weekdays" role="group" aria-label={s.weekdays}>
            {s.dayNames.map((name, i) => (
              <button
                type="button"
                class="chip"
                key={name}
                aria-pressed={clock.days.includes(i)}
                onClick={() =>
                  set({
                    ...clock,
                    days: clock.days.includes(i) ? clock.days.filter((one) => one !== i) : [...clock.days, i],
                  })
                }
              >
                {name}
              </button>
            ))}
          </div>
        </>
      )}
      {hours.is === 'words' && (
        <Typed
          label={s.words}
          value={hours.text}
          read={(text) => text.trim() || null}
          fault={s.badWords}
          onChange={(text) => set({ is: 'words', text })}
        />
      )}
      <p class="sentence">{hoursInWords(hours)}.</p>
    </fieldset>
  );
}

/** A field whose value is taken when it can be read. */
function Typed<T>({
  label,
  value,
  read,
  fault,
  onChange,
}: {
  label: string;
  value: string;
  read: (text: string) => T | null;
  fault: string;
  onChange: (value: T) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null ? null : read(typed);
  const store = (): void => {
    if (typed !== null && parsed !== null && typed !== value) onChange(parsed);
    if (typed === null || parsed !== null) setTyped(null);
  };
  return (
    <Field
      label={label}
      value={typed ?? value}
      fault={typed !== null && parsed === null ? fault : null}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onBlur={store}
      onKeyDown={(event) => {
        if (event.key === 'Enter') store();
      }}
    />
  );
}
