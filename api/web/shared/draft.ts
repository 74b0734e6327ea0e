import { useEffect, useState } from 'react';
import { currentSession, onSessionChange } from './session';

/**
 * Keeps what somebody is writing. It survives a reload, and is forgotten when its writer signs out.
 */

const PREFIX = 'lendline.draft.';

function stored<Draft>(key: string): Partial<Draft> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Draft>;
  } catch {
    return {};
  }
}

onSessionChange(() => {
  const { user, hasEnded } = currentSession();
  if (user !== null || hasEnded) return;
  for (const key of Object.keys(localStorage))
    if (key.startsWith(PREFIX)) localStorage.removeItem(key);
});

export interface Drafting<Draft> {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly forget: () => void;
}

/** `name` distinguishes the drafts of one writer. */
export function useDraft<Draft extends object>(name: string, empty: Draft): Drafting<Draft> {
  const key = PREFIX + name;
  const [draft, setDraft] = useState<Draft>(() => ({ ...empty, ...stored<Draft>(key) }));
  useEffect(() => {
    if (JSON.stringify(draft) === JSON.stringify(empty)) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  });
  return {
    draft,
    change: (changes) => {
      setDraft((last) => ({ ...last, ...changes }));
    },
    forget: () => {
      // The place may be left before the effect runs.
      localStorage.removeItem(key);
      setDraft(empty);
    },
  };
}
