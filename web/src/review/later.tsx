/** The charts come with their library when there is something to draw. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { words } from '../words/en';

export function ChartsLater({ height }: { height: number }) {
  const [part, setPart] = useState<{ Charts: ComponentType<{ height: number }> } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    import('./charts').then(setPart, (cause: Error) => setFault(cause.message));
  }, []);
  if (part) return <part.Charts height={height} />;
  return (
    <p class="charts-coming is-second" role="status" style={{ height: `${2 * height}px` }}>
      {fault ? words.review.chartsFault(fault) : words.review.chartsComing}
    </p>
  );
}
