import { parseArgs } from 'node:util';
import type { Services } from '../../shared/service';

/** Operators' commands, and how their arguments are read. */

/** The command was called wrongly: a sentence on stderr, exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command could not do its work: one sentence on stderr, exit 1. */
export class OpsError extends Error {
  override readonly name = 'OpsError';
}

export interface Option {
  /** What stands for the value in the help, for example `N`; an option without it is a flag. */
  readonly value?: string;
  readonly help: string;
}

export interface OpsCommand {
  /** One line for the list of commands. */
  readonly summary: string;
  /**
   * The operands, as the help writes them: `FILE.csv`; one in brackets may be left out, and stands
   * last.
   */
  readonly operands?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** It reports its progress by itself, or runs until it is stopped. */
  readonly tellsProgress?: true;
  /** What else the help says. */
  readonly notes?: string;
  /** Does the work and resolves to the exit code. */
  readonly run: (given: Arguments, services: Services) => Promise<number>;
}

/** Commands by their names, which may be two words. */
export type Commands = Readonly<Record<string, OpsCommand>>;

export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly fallback?: number;
}

/** The arguments of one call, each checked when it is asked for. */
export class Arguments {
  constructor(
    private readonly values: Readonly<Record<string, string | boolean | undefined>>,
    readonly operands: readonly string[],
  ) {}

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** @throws UsageError when the option is absent. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`Option --${name} is required.`);
    return value;
  }

  /**
   * @throws UsageError when it is not a whole number within the bounds, or absent without a
   * fallback.
   */
  integer(name: string, { min, max, fallback }: Bounds): number {
    if (this.text(name) === undefined && fallback !== undefined) return fallback;
    const text = this.required(name);
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`Option --${name} must be a whole number from ${min} to ${max}.`);
  }
}

/**
 * @throws UsageError for an unknown option, a missing value, or operands other than the command
 * takes.
 */
export function readArguments(command: OpsCommand, argv: readonly string[]): Arguments {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs adds advice on the -- separator after its first sentence.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`);
  }
  const { operands = [] } = command;
  const missing = operands
    .slice(parsed.positionals.length)
    .filter((operand) => !operand.startsWith('['));
  if (missing.length > 0) throw new UsageError(`Missing ${missing.join(' ')}.`);
  if (parsed.positionals.length > operands.length)
    throw new UsageError(`Unexpected argument '${parsed.positionals[operands.length]}'.`);
  return new Arguments(parsed.values, parsed.positionals);
}
