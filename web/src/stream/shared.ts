/**
 * One stream for all windows of a browser: a shared worker holds it open and passes events on. HTTP/1.1 gives a browser
 * six connections to a daemon; a seventh window would otherwise hang.
 */
import { openStream, type Heard } from './sse';

/** From a window: which stream it wants, and the lock it holds as long as it lives. */
export interface Want {
  url: string;
  lock: string;
}

/** To a window. */
export type Told = { is: 'open' } | { is: 'event'; heard: Heard } | { is: 'down'; status: number };

interface Line {
  ports: Set<MessagePort>;
  isOpen: boolean;
  close: () => void;
}

const lines = new Map<string, Line>();

function open(url: string): Line {
  const line: Line = { ports: new Set(), isOpen: false, close: () => undefined };
  const tell = (told: Told): void => {
    for (const port of line.ports) port.postMessage(told);
  };
  line.close = openStream(url, {
    onOpen: () => {
      line.isOpen = true;
      tell({ is: 'open' });
    },
    onEvent: (heard) => tell({ is: 'event', heard }),
    onDown: (status) => {
      line.isOpen = false;
      tell({ is: 'down', status });
    },
  });
  lines.set(url, line);
  return line;
}

function leave(url: string, port: MessagePort): void {
  const line = lines.get(url);
  line?.ports.delete(port);
  if (line && !line.ports.size) {
    line.close();
    lines.delete(url);
  }
}

(self as unknown as SharedWorkerGlobalScope).onconnect = (event) => {
  const port = event.ports[0]!;
  port.onmessage = ({ data }: MessageEvent<Want | 'close'>) => {
    if (data === 'close') {
      for (const url of [...lines.keys()]) leave(url, port);
      return;
    }
    const line = lines.get(data.url) ?? open(data.url);
    line.ports.add(port);
    if (line.isOpen) port.postMessage({ is: 'open' } satisfies Told);
    // The lock comes free when the window is gone, however it went.
    void navigator.locks.request(data.lock, () => leave(data.url, port));
  };
};
