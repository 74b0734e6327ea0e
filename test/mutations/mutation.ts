import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A guard taken out of the program. Whatever test then fails is what holds the guard; when none does, the guard is not tested.
 */
export interface Mutation {
  /** The rule that the guard protects. */
  readonly guard: string;
  readonly file: string;
  /** The guard; it stands in the file exactly once. */
  readonly find: string;
  /** What stands there without it. It need not make sense, but has to compile. */
  readonly replace: string;
  /** The tests that are expected to notice: a path, which also tells the project of Jest. */
  readonly tests: string;
  /** Part of the names of the tests in question, where not all of them need run. */
  readonly only?: string;
  /** Whether these tests run `dist/`, so that it has to be built anew. */
  readonly built?: true;
}

/** The file with the guard and without it. @throws when the guard does not stand there exactly once. */
export function mutated(root: string, { guard, file, find, replace }: Mutation): { readonly path: string; readonly before: string; readonly after: string } {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  const places = before.split(find).length - 1;
  if (places !== 1) throw new Error(`${guard}: the text to replace stands ${places} times in ${file}`);
  return { path, before, after: before.replace(find, () => replace) };
}
