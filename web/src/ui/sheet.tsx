/** The phone's sheet: peek, half, full; dragged by its grip, or tapped from stop to stop. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { chosenFinding, chosenBoat } from '../store/store';
import { useEffect } from 'preact/hooks';

export type Stop = 'peek' | 'half' | 'full';
const NEXT: Record<Stop, Stop> = { peek: 'half', half: 'full', full: 'peek' };

export function Sheet({ children, first = 'half' }: { children: ComponentChildren; first?: Stop }) {
  const [stop, setStop] = useState<Stop>(first);
  const from = useRef<number | null>(null);
  const chosen = chosenFinding.value ?? chosenBoat.value;
  const body = useRef<HTMLDivElement>(null);
  // What was chosen stands at the head of the sheet.
  useEffect(() => {
    if (chosen && stop === 'peek') setStop('half');
    body.current?.scrollTo(0, 0);
  }, [chosen]);
  const end = (event: PointerEvent): void => {
    if (from.current === null) return;
    const by = event.clientY - from.current;
    from.current = null;
    if (Math.abs(by) < 12) setStop(NEXT[stop]);
    else if (by < 0) setStop(stop === 'peek' && by > -220 ? 'half' : 'full');
    else setStop(stop === 'full' && by < 300 ? 'half' : 'peek');
  };
  return (
    <div class={`sheet is-${stop}`}>
      <button
        type="button"
        class="grip"
        aria-label={`Sheet: ${stop}`}
        aria-expanded={stop !== 'peek'}
        onPointerDown={(event) => {
          from.current = event.clientY;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={end}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            setStop(NEXT[stop]);
          }
        }}
      >
        <i />
      </button>
      <div class="sheet-body" ref={body}>
        {children}
      </div>
    </div>
  );
}
