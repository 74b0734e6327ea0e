import { MutationCache } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/**
 * Lists the writes whose answer has not come. A mutation of the library is pending for longer:
 * until the changed data was read again.
 */

interface Sending {
  readonly id: number;
  readonly since: number;
}

let all: readonly Sending[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Sending[]): void {
  all = next;
  for (const listener of listeners) listener();
}

const end = (id: number): void => {
  change(all.filter((each) => each.id !== id));
};

/** The mutations of a page. One whose `meta.isListed` is false shows its progress itself. */
export const newMutationCache = (): MutationCache =>
  new MutationCache({
    onMutate: (_, { mutationId, meta }) => {
      if (meta?.['isListed'] !== false) change([...all, { id: mutationId, since: Date.now() }]);
    },
    onSuccess: (_data, _input, _result, { mutationId }) => {
      end(mutationId);
    },
    onError: (_error, _input, _result, { mutationId }) => {
      end(mutationId);
    },
  });

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSending = (): readonly Sending[] => useSyncExternalStore(subscribe, () => all);
