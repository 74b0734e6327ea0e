import { currentSession, signOut as forgetSession } from './session';

/**
 * Forgets the session at once, also while the service cannot be reached, and then ends its token,
 * so that a copy of it is of no use. `keepalive`: also when the tab is closed right after.
 */
export function signOut(): void {
  const { token } = currentSession();
  forgetSession();
  if (token === null) return;
  const headers = { Authorization: `Bearer ${token}` };
  // A provider's token ends there, and this one expires.
  void fetch('api/auth/logout', { method: 'POST', headers, keepalive: true }).catch(
    () => undefined,
  );
}
