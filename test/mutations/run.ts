import { ROOT } from '../support/service/child';
import { cleanUp } from '../support/run/cleanup';
import { Copy } from './copy';
import { mutated, type Mutation } from './mutation';
import { mutations } from './mutations';

/**
 * Takes out one guard after the other, in a copy of the tree, and looks whether a test notices.
 * Arguments: parts of the names of guards, of files or of tests; none for all of them. The exit
 * code is 1 when something was not noticed, or could not be tried.
 */

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * What is wrong with the tests themselves: with every guard in its place all of them have to pass.
 */
async function troubles(copy: Copy, chosen: readonly Mutation[]): Promise<string[]> {
  const found: string[] = [];
  for (const tests of new Set(chosen.map((mutation) => mutation.tests))) {
    const theirs = chosen.filter((mutation) => mutation.tests === tests);
    const { passed, failed, output } = await copy.test({
      tests,
      ...(theirs.some(({ built }) => built) && { built: true }),
    });
    if (passed.length + failed.length === 0) found.push(`${tests} could not be run: ${output}`);
    for (const name of failed) found.push(`${tests} fails with nothing taken out: ${name}`);
    for (const { guard, only = '' } of theirs)
      if (![...passed, ...failed].some((name) => name.includes(only)))
        found.push(`${guard}: no test is called "${only}"`);
  }
  return found;
}

/** What noticed that the guard is gone; null when nothing did. */
async function noticed(copy: Copy, mutation: Mutation): Promise<string | null> {
  const { passed, failed, output } = await copy.testMutated(mutation);
  if (passed.length + failed.length === 0)
    throw new Error(`${mutation.guard}: its tests could not be run without it: ${output}`);
  const [first, ...others] = failed;
  if (first === undefined) return null;
  return others.length > 0 ? `${first} (and ${others.length} more)` : first;
}

async function main(words: readonly string[]): Promise<boolean> {
  const chosen = mutations.filter(
    ({ guard, file, tests }) =>
      words.length === 0 || words.some((word) => `${guard} ${file} ${tests}`.includes(word)),
  );
  for (const mutation of chosen) mutated(ROOT, mutation);
  const copy = await Copy.make();
  const wrong = await troubles(copy, chosen);
  for (const line of wrong) say(line);
  if (wrong.length > 0) return false;
  const table: string[] = [];
  let survivors = 0;
  for (const mutation of chosen) {
    const by = await noticed(copy, mutation);
    if (by === null) survivors += 1;
    say(`${by === null ? 'SURVIVED' : 'noticed'}: ${mutation.guard}`);
    table.push(`| ${mutation.guard} | ${mutation.file} | ${by ?? 'SURVIVED'} |`);
  }
  say(
    [
      '',
      '| guard | taken out of | noticed by |',
      '|---|---|---|',
      ...table,
      '',
      `${chosen.length} guards taken out, ${survivors} not noticed`,
    ].join('\n'),
  );
  return survivors === 0;
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    say(String(error));
    return false;
  })
  .then(async (right) => {
    await cleanUp();
    process.exitCode = right ? 0 : 1;
  })
  .catch((error: unknown) => {
    say(String(error));
    process.exitCode = 1;
  });
