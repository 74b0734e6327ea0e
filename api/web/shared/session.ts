import { useSyncExternalStore } from 'react';

/**
 * Who is signed in: the token, and nothing beside it, for it says who that is. It is kept in
 * `sessionStorage`, so that it outlives a reload but not the tab, and no other tab or later visitor
 * of this browser finds it.
 */

const KEY = 'lendline.token';

export interface User {
  readonly userId: number;
  readonly username: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
}

export interface Session {
  readonly token: string | null;
  readonly user: User | null;
  /** The service has refused the last token: it has expired, or is not one. */
  readonly hasEnded: boolean;
}

/** What the token says. The service alone judges whether it is true. */
function userOf(token: string): User | null {
  try {
    const bytes = Uint8Array.from(
      atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
      (char) => char.charCodeAt(0),
    );
    const { sub, ...claims } = JSON.parse(new TextDecoder().decode(bytes)) as User & {
      readonly sub: string;
    };
    return { ...claims, userId: Number(sub) };
  } catch {
    return null;
  }
}

function sessionOf(token: string | null, hasEnded = false): Session {
  const user = token === null ? null : userOf(token);
  return { token: user && token, user, hasEnded };
}

let current = sessionOf(sessionStorage.getItem(KEY));
const listeners = new Set<() => void>();

function change(next: Session): void {
  current = next;
  if (next.token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, next.token);
  for (const listener of listeners) listener();
}

/** Returns what stops telling. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const currentSession = (): Session => current;

/** Returns whether that is a token at all. */
export function signIn(token: string): boolean {
  const next = sessionOf(token);
  if (next.user) change(next);
  return next.user !== null;
}

export const signOut = (): void => {
  change(sessionOf(null));
};

/** The service has refused this token. Another one may have taken its place meanwhile. */
export function endSession(token: string): void {
  if (current.token === token) change(sessionOf(null, true));
}

export const useSession = (): Session => useSyncExternalStore(onSessionChange, currentSession);
