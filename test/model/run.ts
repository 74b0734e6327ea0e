import { cleanUp } from '../support/run/cleanup';
import { MISSING, modelPrograms, search, type Programs } from './model';
import { PROTOCOLS, REMOVED } from './variants';

/**
 * `npm run model`: everything that the model holds, and the guards without which it does not. The
 * exit code is 1 when anything came out otherwise.
 */

const say = (line: string) => process.stdout.write(`${line}\n`);

async function runAll(programs: Programs): Promise<boolean> {
  let right = true;
  const judge = (good: boolean, line: string) => {
    right &&= good;
    say(`${good ? '  ' : '! '}${line}`);
  };
  for (const { name, definitions } of PROTOCOLS) {
    const { broken, states, complete } = await search(programs, definitions);
    judge(
      broken === null && complete,
      `${name}: ${broken ?? (complete ? 'all properties hold' : 'the search was not completed')}, ${states} states`,
    );
  }
  for (const { guard, definition, with: more = [], broken: expected } of REMOVED) {
    const { broken, states } = await search(programs, ['FAULTS=1', definition, ...more]);
    judge(
      broken === expected,
      `without ${guard}: ${broken ?? 'nothing is noticed'}, after ${states} states`,
    );
  }
  return right;
}

async function main(): Promise<number> {
  const programs = modelPrograms();
  if (programs) return (await runAll(programs)) ? 0 : 1;
  say(MISSING);
  return 0;
}

void main()
  .catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  })
  .then(async (code) => {
    await cleanUp();
    process.exit(code);
  });
