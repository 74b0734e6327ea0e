import { ADMIN } from '../service/processes';
import { waitUntil } from '../wait';

/** How long the first administrator may take on a busy machine, milliseconds. */
const MADE_MS = 60_000;

/** Returns whether this is an administrator's name and password. */
export async function signsIn(url: string, username: string, password: string): Promise<boolean> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return response.ok && ((await response.json()) as { isAdmin: boolean }).isAdmin;
}

/**
 * Waits until a service that has just started has its first administrator: a worker makes the
 * account, and an API is ready without one.
 */
export async function administratorMade(url: string): Promise<void> {
  await waitUntil('the first administrator is made', MADE_MS, () =>
    signsIn(url, ADMIN.username, ADMIN.password),
  );
}
