/** How much room there is: below 720 px the phone's layout, below 1100 px the panel is a drawer. */
import { signal } from '@preact/signals';

const phone = matchMedia('(max-width: 719px)');
export const isPhone = signal(phone.matches);
phone.addEventListener('change', () => {
  isPhone.value = phone.matches;
});
