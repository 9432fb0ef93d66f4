/** Something asked for once, and again when what it depends on changes. */
import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  value: T | null;
  fault: Error | null;
  isLoading: boolean;
  again: () => void;
  set: (value: T) => void;
}

export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; fault: Error | null; isLoading: boolean }>({
    value: null,
    fault: null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ value, fault: null, isLoading: false });
      },
      (fault: unknown) => {
        if (!abort.signal.aborted) setState({ value: null, fault: fault as Error, isLoading: false });
      },
    );
    return () => abort.abort();
  }, [...on, turn]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  const set = useCallback((value: T) => setState({ value, fault: null, isLoading: false }), []);
  return { ...state, again, set };
}
