/** Keys, shown by `?`; never in text fields; can be switched off. */
import { signal } from '@preact/signals';
import { chooseFinding, listed } from '../findings/list';
import { liveFilters } from '../findings/filters';
import { begin, asking } from '../findings/outcomes';
import { reviewLink, findingLink } from '../findings/links';
import { isLayerListOpen } from '../live/controls';
import { go, pathOf, route, setQuery, type Screen } from '../route';
import { prefs, setPref } from '../store/prefs';
import { chosenBoat, chosenFinding, findings, followed, here, notice } from '../store/store';
import { SPEED_UNITS } from '../units';
import { words } from '../words/en';
import { Dialog } from './parts';

const isShown = signal(false);
let isGoing = false;

/** Keys of the screen on display, asked first; true where the key was used. */
export const screenKeys: ((event: KeyboardEvent) => boolean)[] = [];

export function listenForKeys(): () => void {
  addEventListener('keydown', press);
  return () => removeEventListener('keydown', press);
}

function press(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (!prefs.value.has_keys || event.defaultPrevented || target.closest('input, textarea, select, dialog')) return;
  if (screenKeys.some((key) => key(event))) {
    event.preventDefault();
    return;
  }
  const finding = chosenFinding.value ? findings.value.get(chosenFinding.value) : undefined;
  if ((event.ctrlKey || event.metaKey) && event.key === 'z') {
    notice.value?.action?.run();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isGoing) {
    isGoing = false;
    const to: Record<string, Screen> = { l: 'live', r: 'review', f: 'findings', m: 'map', v: 'vessels' };
    const screen = to[event.key];
    if (screen) go(pathOf(screen, screen === 'findings' || screen === 'vessels' ? null : here.value));
    return;
  }
  switch (event.key) {
    case '?':
      isShown.value = true;
      break;
    case 'g':
      isGoing = true;
      setTimeout(() => {
        isGoing = false;
      }, 1500);
      break;
    case 'j':
    case ']':
      step(1);
      break;
    case 'k':
    case '[':
      step(-1);
      break;
    case 'a':
      if (finding) begin(finding, 'acknowledge');
      break;
    case 'n':
      if (finding) begin(finding, 'note');
      break;
    case 'w':
      if (finding) begin(finding, 'warn');
      break;
    case 'c':
      if (finding) begin(finding, 'cite');
      break;
    case 'd':
      if (finding) begin(finding, 'dismiss');
      break;
    case 'r':
      if (finding) go(reviewLink(finding));
      break;
    case 'Enter':
      if (finding && target === document.body) go(findingLink(finding));
      break;
    case 'f':
      followed.value = followed.value ? null : chosenBoat.value;
      break;
    case 'l':
      isLayerListOpen.value = !isLayerListOpen.value;
      break;
    case 'u':
      nextUnit();
      break;
    case '/':
      document.querySelector<HTMLElement>('input[type=search], .list-head select')?.focus();
      event.preventDefault();
      break;
    case 'Escape':
      if (route.value.screen === 'live' && !asking.value) {
        chosenBoat.value = null;
        chosenFinding.value = null;
        setQuery({ v: null, f: null }, true);
      }
      break;
  }
}

function step(by: number): void {
  const list = listed(liveFilters()).strong;
  const at = list.findIndex((one) => one.id === chosenFinding.value);
  const next = list[at < 0 ? 0 : at + by];
  if (next) chooseFinding(next);
}

function nextUnit(): void {
  const order = [null, ...SPEED_UNITS];
  const speed = order[(order.indexOf(prefs.value.speed) + 1) % order.length] ?? null;
  setPref({ speed, distance: speed === 'mph' ? 'ft' : speed ? 'm' : null });
}

export function KeyList() {
  if (!isShown.value) return null;
  return (
    <Dialog title={words.keys.title} onClose={() => (isShown.value = false)}>
      <table class="table">
        <tbody>
          {words.keys.list.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
