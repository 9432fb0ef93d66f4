/** Which period, which boats; link, print, export, and a recording of one's own. */
import { useState } from 'preact/hooks';
import { API, ApiError, ask, query } from '../api/client';
import type { Review } from '../api/types';
import { go, pathOf } from '../route';
import { now } from '../store/clock';
import { here, may, notice, zone } from '../store/store';
import { clock, day, fromLocal, isoOf, toLocal, zoneLetters } from '../time';
import { words } from '../words/en';
import { Icon } from '../ui/icons';
import { Button, Dialog, Field, Menu, Pick } from '../ui/parts';
import { isPhone } from '../ui/size';
import { CompareDialog } from './compare';
import { chosenIds, chosenOne, chosenTracks, draftOf, isUpload, period, tracks } from './state';
import { pdfLink, reportLink } from '../findings/links';

const LONGEST_MS = 24 * 3600_000;

/** "4 Jul 2026, 19:41:14–19:43:04 PDT" */
export function periodText([from, to]: [number, number], place: string): string {
  const isSameDay = day(from, place) === day(to, place);
  return `${day(from, place)}, ${clock(from, place)}–${isSameDay ? '' : `${day(to, place)}, `}${clock(to, place)} ${zoneLetters(to, place)}`;
}

function PeriodForm({ onDone }: { onDone: () => void }) {
  const r = words.review;
  const place = zone.value;
  const [from, to] = period.value;
  const letters = zoneLetters(from, place);
  const [a, setA] = useState(toLocal(from, place));
  const [b, setB] = useState(toLocal(to, place));
  const start = fromLocal(a, place);
  const end = fromLocal(b, place);
  const fault = start !== null && end !== null && end - start > LONGEST_MS ? r.tooLong : null;
  const open = (x: number, y: number): void => {
    const draft = draftOf.value ? `&draft=${encodeURIComponent(draftOf.value.id)}` : '';
    go(pathOf('review', here.value, `?from=${isoOf(x)}&to=${isoOf(y)}${draft}`));
    onDone();
  };
  return (
    <form
      class="settings"
      onSubmit={(event) => {
        event.preventDefault();
        if (start !== null && end !== null && end > start && !fault) open(start, end);
      }}
    >
      <div class="rows">
        {(
          [
            ['m15', 15],
            ['h1', 60],
            ['h6', 360],
            ['h24', 1440],
          ] as const
        ).map(([name, minutes]) => (
          <Button key={name} onClick={() => open(now() - minutes * 60_000, now())}>
            {r.last[name]}
          </Button>
        ))}
      </div>
      <Field
        label={`${r.from} (${letters})`}
        type="datetime-local"
        step="1"
        value={a}
        onInput={(event) => setA(event.currentTarget.value)}
      />
      <Field
        label={`${r.to} (${letters})`}
        type="datetime-local"
        step="1"
        value={b}
        fault={fault}
        onInput={(event) => setB(event.currentTarget.value)}
      />
      <button class="button is-primary" type="submit">
        {r.load}
      </button>
    </form>
  );
}

export function Head({ onUpload }: { onUpload: (made: Review) => void }) {
  const r = words.review;
  const [isUploading, setUploading] = useState(false);
  const [isComparing, setComparing] = useState(false);
  const range = query({
    waterway: here.value,
    vessels: chosenIds.value.join(','),
    from: isoOf(period.value[0]),
    to: isoOf(period.value[1]),
  });
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(location.href).catch(() => undefined);
    notice.value = { text: r.copied };
  };
  const flip = (id: string): void => {
    chosenIds.value = chosenIds.value.includes(id)
      ? chosenIds.value.filter((one) => one !== id)
      : [...chosenIds.value, id];
  };
  const rest = tracks.value.filter((track) => !chosenIds.value.includes(track.id));
  const exports = (close?: () => void) => (
    <div class="rows">
      {['gpx', 'kml', 'geojson', 'csv'].map((kind) => (
        <a key={kind} class="button is-plain" download href={`${API}/tracks.${kind}${range}`} onClick={close}>
          {kind.toUpperCase()}
        </a>
      ))}
    </div>
  );
  const acts = (
    <>
      <Button onClick={() => setUploading(true)}>{r.upload}</Button>
      {!isUpload.value && !draftOf.value && may('officer') && (
        <Button onClick={() => setComparing(true)}>{r.compare.button}</Button>
      )}
      {!isUpload.value && <Button onClick={() => void copy()}>{r.copy}</Button>}
      {!isUpload.value && !draftOf.value && chosenOne.value && (
        <>
          <a class="button is-plain" href={reportLink(chosenOne.value)} target="_blank" rel="noopener">
            {r.print}
          </a>
          <a class="button is-plain" href={pdfLink(chosenOne.value)} download>
            {r.pdf}
          </a>
        </>
      )}
      {!isUpload.value &&
        (isPhone.value ? (
          exports()
        ) : (
          <Menu label={r.export} align="end" button={r.export}>
            {exports}
          </Menu>
        ))}
    </>
  );
  return (
    <header class="review-head">
      <Menu
        label={r.period}
        button={
          <>
            <span class="period">{periodText(period.value, zone.value)}</span>
            <Icon name="down" size={16} />
          </>
        }
      >
        {(close) => <PeriodForm onDone={close} />}
      </Menu>
      {isPhone.value && (
        <Menu label={words.more} align="end" button={<Icon name="more" />}>
          {() => <div class="settings">{acts}</div>}
        </Menu>
      )}
      <div class="boat-chips">
        {chosenTracks.value.map((track) => (
          <button type="button" key={track.id} class="boat-chip" aria-pressed="true" onClick={() => flip(track.id)}>
            <b>{track.letter}</b> {track.name}
          </button>
        ))}
        {rest.length > 0 && (
          <Menu label={r.boat} button={r.boat}>
            {(close) => (
              <div class="boat-menu">
                {rest.map((track) => (
                  <button
                    type="button"
                    key={track.id}
                    class="link"
                    onClick={() => {
                      flip(track.id);
                      close();
                    }}
                  >
                    {track.name}
                  </button>
                ))}
              </div>
            )}
          </Menu>
        )}
      </div>
      {!isPhone.value && (
        <>
          <span class="space" />
          <div class="rows head-acts">{acts}</div>
        </>
      )}
      {isComparing && <CompareDialog onClose={() => setComparing(false)} />}
      {isUploading && (
        <UploadDialog
          onClose={() => setUploading(false)}
          onUpload={(made) => {
            setUploading(false);
            onUpload(made);
          }}
        />
      )}
    </header>
  );
}

function UploadDialog({ onClose, onUpload }: { onClose: () => void; onUpload: (made: Review) => void }) {
  const r = words.review;
  const [fault, setFault] = useState<string | null>(null);
  const [offset, setOffset] = useState('');
  const [unit, setUnit] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setFault(null);
    try {
      onUpload(
        await ask<Review>(
          `/review${query({ waterway: here.value, name: file.name, utc_offset: offset, speed_unit: unit })}`,
          { method: 'POST', body: file, headers: { 'content-type': 'application/octet-stream' } },
        ),
      );
    } catch (cause) {
      const problem = cause instanceof ApiError ? cause.problem : null;
      setFault([(cause as Error).message, problem?.mend].filter(Boolean).join('. '));
    }
    setBusy(false);
  };
  return (
    <Dialog title={r.uploadTitle} onClose={onClose}>
      <p>{r.uploadHow}</p>
      <Field
        label={r.utcOffset}
        placeholder="-07:00"
        value={offset}
        onInput={(event) => setOffset(event.currentTarget.value)}
      />
      <Pick
        label={words.review.speed}
        value={unit}
        options={[
          ['', '–'],
          ['mph', 'mph'],
          ['kn', 'kn'],
          ['km/h', 'km/h'],
          ['m/s', 'm/s'],
        ]}
        onChange={setUnit}
      />
      <div
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void send(event.dataTransfer?.files[0]);
        }}
      >
        <Field
          label={r.chooseFile}
          type="file"
          disabled={isBusy}
          onChange={(event) => void send(event.currentTarget.files?.[0])}
        />
      </div>
      {isBusy && <p role="status">{words.loading}</p>}
      {fault && (
        <p class="is-warning" role="alert">
          {fault}
        </p>
      )}
    </Dialog>
  );
}
