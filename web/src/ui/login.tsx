/** The login. A link that needs one returns to itself: the address does not change. */
import { useState } from 'preact/hooks';
import { ApiError, ask, setCsrf } from '../api/client';
import type { Me, Waterway } from '../api/types';
import { forgetSteps } from '../edit/undostore';
import { me, waterways } from '../store/store';
import { words } from '../words/en';
import { Mark } from './icons';
import { Field } from './parts';

export async function takeMe(mine: Me): Promise<void> {
  setCsrf(mine.csrf);
  if (mine.role) waterways.value = await ask<Waterway[]>('/waterways');
  me.value = mine;
}

export async function logOut(): Promise<void> {
  await ask('/logout', { method: 'POST' }).catch(() => undefined);
  // What this browser kept belongs to the one who leaves.
  forgetSteps();
  for (const name of await caches.keys()) await caches.delete(name);
  location.assign('/');
}

export function Login() {
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    try {
      await takeMe(
        await ask<Me>('/login', { method: 'POST', body: { user: form.get('user'), password: form.get('password') } }),
      );
    } catch (cause) {
      setFault(cause instanceof ApiError && cause.status === 401 ? words.login.wrong : (cause as Error).message);
    }
    setBusy(false);
  };
  return (
    <main class="login" id="content">
      <form onSubmit={(event) => void submit(event)}>
        <h1>
          <Mark /> {words.product}
        </h1>
        <p>{words.login.why}</p>
        <Field label={words.login.user} name="user" autocomplete="username" required autofocus />
        <Field
          label={words.login.password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          fault={fault}
        />
        <button class="button is-primary" type="submit" disabled={isBusy}>
          {words.login.submit}
        </button>
      </form>
    </main>
  );
}
