/** One way to ask the daemon: JSON in, JSON out, refusals as `ApiError` with the daemon's own words. */
import type { Problem } from './types';

export const API = '/api/v1';

/** The token that proves a change was asked for by this page; set at login (`/me`). */
let csrf = '';

export function setCsrf(token: string | null): void {
  csrf = token ?? '';
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
    /** What was asked, to tell whoever looks after the daemon: "GET /findings". */
    readonly asked: string,
  ) {
    super(problem.detail ?? problem.title);
  }
  /** 0: the daemon could not be reached at all. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

export interface Answer<T> {
  body: T;
  etag: string | null;
  status: number;
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A plain value goes as JSON, a Blob as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Whether an earlier answer will do. */
  cache?: RequestCache;
}

/** Asks and gives the body with its ETag. Throws `ApiError`. */
export async function askFull<T>(path: string, ask: Ask = {}): Promise<Answer<T>> {
  const method = ask.method ?? 'GET';
  const asked = `${method} ${path.replace(/\?.*/, '')}`;
  const headers: Record<string, string> = { accept: 'application/json', ...ask.headers };
  let body: BodyInit | undefined;
  if (ask.body instanceof Blob) body = ask.body;
  else if (ask.body !== undefined) {
    body = JSON.stringify(ask.body);
    headers['content-type'] ??= 'application/json';
  }
  if (method !== 'GET' && csrf) headers['x-buoyline-csrf'] = csrf;
  let response: Response;
  try {
    const { signal, cache } = ask;
    response = await fetch(API + path, { method, headers, body, signal, cache, credentials: 'same-origin' });
  } catch (cause) {
    if (ask.signal?.aborted) throw cause;
    throw new ApiError(0, { title: 'no connection', status: 0, detail: 'the daemon cannot be reached' }, asked);
  }
  if (!response.ok) throw new ApiError(response.status, await problemOf(response), asked);
  const text = await response.text();
  return {
    body: (text ? JSON.parse(text) : undefined) as T,
    etag: response.headers.get('etag'),
    status: response.status,
  };
}

/** Asks and gives the body alone. Throws `ApiError`. */
export async function ask<T>(path: string, options?: Ask): Promise<T> {
  return (await askFull<T>(path, options)).body;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Problem;
    if (typeof problem.title === 'string') return { ...problem, status: response.status };
  } catch {
    // Not a problem document: the status alone has to do.
  }
  return { title: `the daemon answered ${response.status}`, status: response.status };
}

/** `?a=1&b=2` of what is there; nothing for null, undefined and ''. */
export function query(parts: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parts)) {
    if (value !== null && value !== undefined && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}
