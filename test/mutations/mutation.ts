import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A guard taken out of the program. Whatever test then fails is what holds the guard; when none
 * does, the guard is not tested.
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

export interface MutatedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A text without what a formatter decides, and where each character that is left stood. */
function bare(text: string): { readonly text: string; readonly at: readonly number[] } {
  const at = [...text.matchAll(/,(?!\s*[)\]}])|[^\s,]/g)].map(({ index }) => index);
  return { text: at.map((index) => text[index]).join(''), at };
}

/**
 * The file with the guard and without it. Line breaks, spaces and last commas need not be as
 * in `find`.
 * @throws when the guard does not stand there exactly once.
 */
export function mutated(root: string, { guard, file, find, replace }: Mutation): MutatedFile {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  const { text, at } = bare(before);
  // A last comma goes with what it follows.
  const ends = /,\s*$/.test(find);
  const put = ends ? replace.trim().replace(/,$/, '') : replace.trim();
  const sought = bare(`${find})`).text.slice(0, -1);
  const places = text.split(sought).length - 1;
  if (places !== 1) throw new Error(`${guard}: the guard stands ${places} times in ${file}`);
  const start = text.indexOf(sought);
  const [from, last] = [at[start]!, at[start + sought.length - 1]!];
  const rest = before.slice(last + 1);
  const after = before.slice(0, from) + put + (ends && put === '' ? rest.replace(/^,/, '') : rest);
  return { path, before, after };
}
