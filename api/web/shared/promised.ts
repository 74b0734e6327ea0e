import { useSyncExternalStore } from 'react';
import { onSessionChange, currentSession } from './session';

/**
 * The commands that the service has promised to carry out (202), oldest first. Only their ids are
 * kept, for as long as the tab and the session, so that they are still known after a reload; what
 * became of them, the service says.
 */

const KEY = 'lendline.commands';

const stored = (): readonly string[] => JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[];

let ids = stored();
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  ids = next;
  sessionStorage.setItem(KEY, JSON.stringify(next));
  for (const listener of listeners) listener();
}

export const addPromised = (commandId: string): void => {
  change([...ids, commandId]);
};

export const dismissPromised = (commandId: string): void => {
  change(ids.filter((id) => id !== commandId));
};

// Nobody else may ask for them.
onSessionChange(() => {
  if (currentSession().user === null) change([]);
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePromised = (): readonly string[] => useSyncExternalStore(subscribe, () => ids);
