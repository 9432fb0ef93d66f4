// Accounts of a daemon: logging in, and asking its API as somebody.
import assert from 'node:assert/strict';

/** Logs in: the cookie of the session, and what changes have to carry. */
export async function logIn(daemon, user, password) {
  const answer = await fetch(`${daemon.url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, password }),
  });
  assert.equal(answer.status, 200, `login of ${user}`);
  return { cookie: answer.headers.get('set-cookie').split(';')[0], csrf: (await answer.json()).csrf };
}

/** A way to ask the API in a session. */
export function callerIn(daemon, { cookie, csrf }) {
  return async (path, { method = 'GET', body, headers = {} } = {}) => {
    const got = await fetch(`${daemon.url}/api/v1${path}`, {
      method,
      headers: { cookie, 'x-buoyline-csrf': csrf, 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    assert.ok(got.ok, `${method} ${path}: ${got.status} ${got.ok ? '' : await got.clone().text()}`);
    return got.status === 204 ? null : got.json();
  };
}
