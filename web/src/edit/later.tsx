/** Parts of the editor that are loaded when they are first needed. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { failed } from '../live/doing';

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let got: ComponentType<P> | null = null;
  return (props: P) => {
    const [Part, setPart] = useState<ComponentType<P> | null>(() => got);
    useEffect(() => {
      if (got) return;
      load().then((part) => {
        got = part;
        setPart(() => part);
      }, failed);
    }, []);
    return Part ? <Part {...props} /> : null;
  };
}
