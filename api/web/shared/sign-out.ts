import { Lendline } from '@lendline/client';
import { currentSession, signOut as forgetSession } from './session';

/**
 * Forgets the session at once, also while the service cannot be reached, and then ends its token,
 * so that a copy of it is of no use. `keepalive`: also when the tab is closed right after.
 */
export function signOut(): void {
  const { token } = currentSession();
  forgetSession();
  if (token === null) return;
  const client = new Lendline({
    baseUrl: '',
    token,
    fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
  });
  // A provider's token ends there, and this one expires.
  client.accounts.logOut().catch(() => undefined);
}
