import { useSyncExternalStore } from 'react';

/** Whether there is a connection, and how old the displayed data may be. */

/** The worker in api/web/offline says so of an answer that it has kept. */
const SEEN_AT = 'Lendline-Seen-At';

export interface Connection {
  readonly isOnline: boolean;
  /** When the oldest displayed answer came that was kept; null while the service answers itself. */
  readonly seenAt: string | null;
}

let current: Connection = { isOnline: navigator.onLine, seenAt: null };
const listeners = new Set<() => void>();

function change(changes: Partial<Connection>): void {
  const next = { ...current, ...changes };
  if (next.isOnline === current.isOnline && next.seenAt === current.seenAt) return;
  current = next;
  for (const listener of listeners) listener();
}

addEventListener('online', () => {
  change({ isOnline: true });
});
addEventListener('offline', () => {
  change({ isOnline: false });
});

/** Notes how old an answer is. */
export function noteAnswer({ headers }: Response): void {
  const seenAt = headers.get(SEEN_AT);
  const { seenAt: oldest } = current;
  change({ seenAt: seenAt === null || oldest === null || seenAt < oldest ? seenAt : oldest });
}

/** The error of a write without a connection: nothing was sent. */
export class Offline extends Error {
  override readonly name = 'Offline';
}

/** @throws Offline for a write without a connection, so that it certainly has no effect. */
export function checkConnection(method = 'GET'): void {
  if (method !== 'GET' && !navigator.onLine) throw new Offline('There is no connection.');
}

/** Calls `listener` when the service answers again, because displayed data is old then. */
export function onReconnect(listener: () => void): void {
  let last = current;
  subscribe(() => {
    const isBack = current.isOnline && !last.isOnline;
    const isFresh = current.seenAt === null && last.seenAt !== null;
    last = current;
    if (isBack || isFresh) listener();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => current);
