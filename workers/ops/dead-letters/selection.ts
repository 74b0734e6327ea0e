import { DeadLetter } from '../../../shared/database/dead-letter-tables';
import { OpsError, UsageError, type Arguments, type Option } from '../command';

/** Which dead letters an operator means. */

export const LETTER = '[LETTER]';

export const selectionOptions: Readonly<Record<'aggregate' | 'all', Option>> = {
  aggregate: { value: 'KEY', help: 'all dead letters of one aggregate, for example book-info:42' },
  all: { help: 'all dead letters' },
};

/** What was asked for: one dead letter, an aggregate, or neither, which means all. */
export interface Meant {
  readonly letter: string | undefined;
  readonly aggregate: string | undefined;
}

/** @throws UsageError when not exactly one of the three is given. */
export function meant(given: Arguments): Meant {
  const [letter] = given.operands;
  const aggregate = given.text('aggregate');
  if (
    [letter !== undefined, aggregate !== undefined, given.flag('all')].filter(Boolean).length !== 1
  ) {
    throw new UsageError(
      'Name the dead letters: a number, a command id, --aggregate KEY, or --all.',
    );
  }
  return { letter, aggregate };
}

export interface Selection {
  readonly where: { readonly seq?: number; readonly aggregateKey?: string };
  /** The one dead letter that is meant, when it is one. */
  readonly one: DeadLetter | null;
}

/** @throws OpsError when there is no such dead letter. */
export async function selected({ letter, aggregate }: Meant): Promise<Selection> {
  const one = letter === undefined ? null : await deadLetterNamed(letter);
  if (one) return { where: { seq: one.seq }, one };
  return { where: aggregate === undefined ? {} : { aggregateKey: aggregate }, one };
}

/** @throws OpsError when there is none. */
export async function deadLetterNamed(name: string): Promise<DeadLetter> {
  const where = /^\d{1,15}$/.test(name) ? { seq: Number(name) } : { commandId: name };
  const letter = await DeadLetter.findOne({ where });
  if (!letter) throw new OpsError(`There is no dead letter ${shown(name)}.`);
  return letter;
}

/**
 * Returns the first dead letter of an aggregate, which must be replayed before all others of it.
 */
export function firstOf(aggregateKey: string): Promise<DeadLetter | null> {
  return DeadLetter.findOne({ where: { aggregateKey }, order: ['seq'] });
}

/** Makes text from anybody safe for a terminal. */
export function shown(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
