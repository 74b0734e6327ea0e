import { useSyncExternalStore } from 'react';

/**
 * Keeps who is signed in, which is only the token. It is in `sessionStorage`, and open tabs tell
 * each other. So it survives a reload and is there in a new tab, but no later visitor of this
 * browser finds it.
 */

const KEY = 'lendline.token';
/** How long a new tab waits for another tab's session, milliseconds. */
const ASK_MS = 150;

export interface User {
  readonly userId: number;
  readonly username: string;
  readonly role: 'user' | 'lecturer';
  readonly isAdmin: boolean;
}

export interface Session {
  readonly token: string | null;
  readonly user: User | null;
  /** The service has refused the last token: it has expired, or is invalid. */
  readonly hasEnded: boolean;
}

/** Returns the user in the token. Only the service judges whether it is valid. */
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

/** The messages between tabs: a question, or the present token. */
type Told = { readonly asks: true } | { readonly token: string | null; readonly hasEnded: boolean };
const tabs = new BroadcastChannel(KEY);
const tell = (told: Told): void => {
  tabs.postMessage(told);
};
const tellCurrent = (): void => {
  tell({ token: current.token, hasEnded: current.hasEnded });
};

tabs.onmessage = ({ data }: MessageEvent<Told>) => {
  if (!('asks' in data)) take(sessionOf(data.token, data.hasEnded));
  else if (current.token !== null) tellCurrent();
};

/** Settles when this tab knows whether another one is signed in. */
export function sharedSession(): Promise<void> {
  if (current.token !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = onSessionChange(resolve);
    setTimeout(() => {
      stop();
      resolve();
    }, ASK_MS);
    tell({ asks: true });
  });
}

function change(next: Session): void {
  take(next);
  tellCurrent();
}

function take(next: Session): void {
  if (next.token === current.token && next.hasEnded === current.hasEnded) return;
  current = next;
  if (next.token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, next.token);
  for (const listener of listeners) listener();
}

/** Calls `listener` at each change. Returns the function that stops it. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const currentSession = (): Session => current;

/** Signs in. Returns whether the text is a token at all. */
export function signIn(token: string): boolean {
  const next = sessionOf(token);
  if (next.user) change(next);
  return next.user !== null;
}

export const signOut = (): void => {
  change(sessionOf(null));
};

/** Ends the session of a refused token, unless another token has replaced it. */
export function endSession(token: string): void {
  if (current.token === token) change(sessionOf(null, true));
}

export const useSession = (): Session => useSyncExternalStore(onSessionChange, currentSession);
