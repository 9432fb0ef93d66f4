/** A stream by way of the worker that all windows share; by this window alone where the browser has none. */
import { openStream, type StreamHandlers } from './sse';
import type { Told, Want } from './shared';

export function listen(url: string, handlers: StreamHandlers): () => void {
  if (!('SharedWorker' in window) || !('locks' in navigator)) return openStream(url, handlers);
  const worker = new SharedWorker(new URL('./shared.ts', import.meta.url), { type: 'module', name: 'buoyline' });
  const { port } = worker;
  const lock = `buoyline ${Date.now()} ${Math.random()}`;
  let release = (): void => undefined;
  port.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.is === 'open') handlers.onOpen();
    else if (data.is === 'event') handlers.onEvent(data.heard);
    else handlers.onDown(data.status);
  };
  void navigator.locks.request(lock, () => {
    port.postMessage({ url, lock } satisfies Want);
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  return () => {
    port.postMessage('close');
    port.onmessage = null;
    release();
  };
}
