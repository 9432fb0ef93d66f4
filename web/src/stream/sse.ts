/**
 * Server-sent events read by `fetch`, so that a dead line is noticed (the daemon writes at least every 15 s),
 * a refusal is seen with its reason, and the place to go on from is ours to say.
 */

import { FleetReader } from './compact';

export interface Heard {
  event: string;
  data: string;
  id: string | null;
  /** Where the data has been read already: what it says. */
  body?: unknown;
}

/** Splits a stream's text into events; give it every piece in order. */
export class EventReader {
  private rest = '';
  private event = '';
  private data: string[] = [];
  private id: string | null = null;

  read(text: string): Heard[] {
    const heard: Heard[] = [];
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length) heard.push({ event: this.event || 'message', data: this.data.join('\n'), id: this.id });
        this.event = '';
        this.data = [];
        this.id = null;
        continue;
      }
      if (line.startsWith(':')) continue;
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') this.event = value;
      else if (field === 'data') this.data.push(value);
      else if (field === 'id') this.id = value;
    }
    return heard;
  }
}

export interface StreamHandlers {
  onOpen(): void;
  onEvent(heard: Heard): void;
  /** The line is down; it is tried again by itself. `status` 0: no answer at all. */
  onDown(status: number): void;
}

const SILENCE_MS = 25_000;
const AGAIN_MS = [500, 1000, 2000, 4000, 8000];

/** Keeps a stream open until the function it returns is called. */
export function openStream(url: string, handlers: StreamHandlers): () => void {
  let isClosed = false;
  let lastId: string | null = null;
  let tries = 0;
  let abort = new AbortController();
  let again: ReturnType<typeof setTimeout> | undefined;

  const run = async (): Promise<void> => {
    abort = new AbortController();
    const mine = abort;
    let status = 0;
    let watch: ReturnType<typeof setTimeout> | undefined;
    const listen = (): void => {
      clearTimeout(watch);
      watch = setTimeout(() => mine.abort(), SILENCE_MS);
    };
    try {
      listen();
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastId !== null) headers['last-event-id'] = lastId;
      const response = await fetch(url, {
        headers,
        signal: mine.signal,
        cache: 'no-store',
        credentials: 'same-origin',
      });
      status = response.status;
      if (response.ok && response.body) {
        handlers.onOpen();
        tries = 0;
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        const events = new EventReader();
        const fleet = new FleetReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          listen();
          for (const heard of events.read(value)) {
            if (heard.id !== null) lastId = heard.id;
            // Read here, where each connection begins anew: a window that joins later need not have heard the beginning.
            if (heard.event === 'fleet')
              handlers.onEvent({ event: 'boats', data: '', id: heard.id, body: fleet.read(heard.data) });
            else handlers.onEvent(heard);
          }
        }
      }
    } catch {
      // Aborted or cut: both end below.
    }
    clearTimeout(watch);
    if (isClosed) return;
    handlers.onDown(status);
    again = setTimeout(() => void run(), AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
  };
  void run();

  const hurry = (): void => {
    if (again === undefined || isClosed) return;
    clearTimeout(again);
    again = undefined;
    tries = 0;
    void run();
  };
  addEventListener('online', hurry);
  return () => {
    isClosed = true;
    removeEventListener('online', hurry);
    clearTimeout(again);
    abort.abort();
  };
}
