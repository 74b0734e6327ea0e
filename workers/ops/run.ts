import { calls } from '../../shared/calls';
import { StartError } from '../../shared/config';
import type { Services } from '../../shared/service';
import { OpsError, readArguments, UsageError, type Commands, type OpsCommand } from './command';
import { showingElapsed } from './elapsed';

/** Exit codes beside 0, which docs/operating/README.md lists. */
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('');
}

/** Returns all commands, or those whose name begins with `group`. */
function listing(commands: Commands, group = ''): string {
  const rows = Object.entries(commands).flatMap(([name, { summary }]) =>
    name.startsWith(group) ? [[name, summary] as const] : [],
  );
  return `Usage: ${calls.ops} <command> [options]\n\n${columns(rows)}\n${calls.ops} <command> --help lists a command's options.\n`;
}

function helpOf(name: string, { summary, operands = [], options, notes }: OpsCommand): string {
  const rows = Object.entries(options).map(
    ([option, { value, help }]) => [value ? `--${option} ${value}` : `--${option}`, help] as const,
  );
  const call = [calls.ops, name, ...operands, ...(rows.length > 0 ? ['[options]'] : [])].join(' ');
  return [
    `${summary}\n\nUsage: ${call}\n`,
    ...(rows.length > 0 ? [`\n${columns(rows)}`] : []),
    ...(notes ? [`\n${notes}\n`] : []),
  ].join('');
}

/** Returns one sentence for people; a stack would not help an operator. */
function sentence(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  // An AggregateError, such as of a refused connection, has an empty message and only a code.
  const text = (message || code || String(error)).replace(/\s+/g, ' ').trim();
  if (/no such table|doesn't exist/.test(text))
    return `The schema is out of date (${text}). Run ${calls.migrate}.`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Runs the command that the arguments name and resolves to the exit code; never rejects. */
export async function run(
  argv: readonly string[],
  commands: Commands,
  services: Services,
): Promise<number> {
  const words = Object.hasOwn(commands, argv.slice(0, 2).join(' ')) ? 2 : 1;
  const name = argv.slice(0, words).join(' ');
  const rest = argv.slice(words);
  const isHelp = (text: string) => text === '--help' || text === '-h' || text === 'help';
  if (isHelp(name)) {
    process.stdout.write(listing(commands));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    if (rest.some(isHelp) && Object.keys(commands).some((known) => known.startsWith(`${name} `))) {
      process.stdout.write(listing(commands, `${name} `));
      return 0;
    }
    const fault = name ? `Unknown command '${name}'` : 'No command given';
    process.stderr.write(
      `${fault}: it is one of ${Object.keys(commands).join(', ')} (--help explains them).\n`,
    );
    return EXIT_USAGE;
  }
  if (rest.some((text) => text === '--help' || text === '-h')) {
    process.stdout.write(helpOf(name, command));
    return 0;
  }
  try {
    const given = readArguments(command, rest);
    const work = () => command.run(given, services);
    return await (command.tellsProgress ? work() : showingElapsed(name, work));
  } catch (error) {
    const known =
      error instanceof UsageError || error instanceof OpsError || error instanceof StartError;
    process.stderr.write(known ? `${error.message}\n` : `${name} failed: ${sentence(error)}\n`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}
