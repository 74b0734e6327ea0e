import type { Refusal } from '../../../shared/command';
import type { Decision } from '../../../workers/batch/service/decision';

/**
 * What a client and a reader of events can tell of a decision; the sentence for people left out.
 * References decide in this form.
 */
export type Verdict =
  | {
      readonly kind: 'done';
      readonly created: boolean;
      readonly result: object | null;
      readonly events: readonly string[];
    }
  | { readonly kind: 'refused'; readonly code: string; readonly ids?: Refusal['ids'] }
  | { readonly kind: 'forward'; readonly key: string };

/** Makes the verdicts of a service; `events` are named without it. */
export const doneBy =
  (service: string) =>
  (result: object | null, events: readonly string[], created = false): Verdict => ({
    kind: 'done',
    created,
    result,
    events: events.map((name) => `${service}.${name}`),
  });

export const refused = (code: string, ids?: Refusal['ids']): Verdict => ({
  kind: 'refused',
  code,
  ...(ids && { ids }),
});

export function verdictOf(decision: Decision): Verdict {
  if (decision.kind === 'done') {
    const { kind, created, result, events } = decision;
    return { kind, created, result, events: events.map(({ type }) => type) };
  }
  if (decision.kind === 'forward') return decision;
  const { code, ids } = decision.refusal;
  return refused(code, ids);
}

/** Returns how a command ended, in short. */
export const endOf = (type: string, verdict: Verdict): string =>
  `${type} ${verdict.kind === 'refused' ? verdict.code : verdict.kind}`;

/** Returns how the commands of a service can end, all of them, in the form of `endOf`. */
export const allEnds = (ends: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(ends)
    .flatMap(([type, all]) => all.map((end) => `${type} ${end}`))
    .sort();
