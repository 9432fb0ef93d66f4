/** Accounts and API tokens. */
import { useState } from 'preact/hooks';
import { ask } from '../api/client';
import type { Role } from '../api/types';
import { failed } from '../live/doing';
import { me, notice } from '../store/store';
import { words } from '../words/en';
import { useLoaded, type Loaded } from '../ui/load';
import { Button, Failure, Field, Waiting } from '../ui/parts';

interface Account {
  user: string;
  role: Role;
  created: string;
}
interface Token {
  id: number;
  name: string;
  role: Role;
  created: string;
}

const ROLES: Role[] = ['viewer', 'officer', 'manager', 'admin'];

function RolePick() {
  return (
    <label class="pick">
      <span>{words.admin.role}</span>
      <select name="role">
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {words.admin.roleName(role)}
          </option>
        ))}
      </select>
    </label>
  );
}

const formOf = (event: SubmitEvent): Record<string, string> =>
  Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>;

/** Asks, then shows the list anew. */
async function change(
  list: Pick<Loaded<unknown>, 'again'>,
  path: string,
  options: Parameters<typeof ask>[1],
): Promise<unknown> {
  try {
    const answer = await ask<unknown>(path, options);
    list.again();
    return answer;
  } catch (cause) {
    failed(cause);
    return null;
  }
}

export function Accounts() {
  const a = words.admin;
  const list = useLoaded((signal) => ask<Account[]>('/accounts', { signal }), []);
  if (list.fault) return <Failure title={words.errors.title} fault={list.fault} onRetry={list.again} />;
  if (!list.value) return <Waiting />;
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    void change(list, '/accounts', { method: 'POST', body: formOf(event) }).then((made) => {
      if (made !== null) form.reset();
    });
  };
  const remove = (user: string): void => {
    if (confirm(a.confirmRemove(user)))
      void change(list, `/accounts/${encodeURIComponent(user)}`, { method: 'DELETE' });
  };
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th>{a.user}</th>
            <th>{a.role}</th>
            <th>{a.created}</th>
            <th>
              <span class="unseen">{a.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.value.map((one) => (
            <tr key={one.user}>
              <td>
                <b>{one.user}</b>
              </td>
              <td>{a.roleName(one.role)}</td>
              <td>{one.created.slice(0, 10)}</td>
              <td class="is-number">
                {one.user !== me.value?.user && <Button onClick={() => remove(one.user)}>{a.remove}</Button>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form class="admin-form" onSubmit={add}>
        <Field label={a.user} name="user" required autocomplete="off" />
        <Field label={a.password} name="password" type="password" required autocomplete="new-password" />
        <RolePick />
        <button class="button is-primary" type="submit">
          {a.add}
        </button>
      </form>
      <PasswordForm />
    </>
  );
}

function PasswordForm() {
  const a = words.admin;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    try {
      await ask('/me/password', { method: 'POST', body: formOf(event) });
      notice.value = { text: a.changed };
      form.reset();
    } catch (cause) {
      failed(cause);
    }
  };
  return (
    <form class="admin-form" onSubmit={(event) => void submit(event)}>
      <Field label={a.oldPassword} name="old" type="password" required autocomplete="current-password" />
      <Field label={a.newPassword} name="new" type="password" required autocomplete="new-password" />
      <button class="button is-plain" type="submit">
        {a.changePassword}
      </button>
    </form>
  );
}

export function Tokens() {
  const a = words.admin;
  const list = useLoaded((signal) => ask<Token[]>('/tokens', { signal }), []);
  const [made, setMade] = useState<string | null>(null);
  if (list.fault) return <Failure title={words.errors.title} fault={list.fault} onRetry={list.again} />;
  if (!list.value) return <Waiting />;
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    void change(list, '/tokens', { method: 'POST', body: formOf(event) }).then((answer) =>
      setMade((answer as { token?: string } | null)?.token ?? null),
    );
  };
  return (
    <>
      {made && (
        <p class="token">
          {a.newToken} <code>{made}</code>
        </p>
      )}
      {!list.value.length && <p class="empty">{a.none}</p>}
      <table class="table">
        <tbody>
          {list.value.map((one) => (
            <tr key={one.id}>
              <td>
                <b>{one.name}</b>
              </td>
              <td>{a.roleName(one.role)}</td>
              <td>{one.created.slice(0, 10)}</td>
              <td class="is-number">
                <Button
                  onClick={() => {
                    if (confirm(a.confirmRemove(one.name)))
                      void change(list, `/tokens/${one.id}`, { method: 'DELETE' });
                  }}
                >
                  {a.remove}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form class="admin-form" onSubmit={add}>
        <Field label={a.name} name="name" required />
        <RolePick />
        <button class="button is-primary" type="submit">
          {a.add}
        </button>
      </form>
    </>
  );
}
