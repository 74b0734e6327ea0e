import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { onCleanUp } from '../run/cleanup';
import { timed } from '../run/times/kinds';
import { waitUntil } from '../wait';
import { whenThisProcessIsGone } from '../run/watchdog';

export const ROOT = resolve(__dirname, '../../..');

/** How much of a child's latest output is kept, characters. */
const OUTPUT_KEPT = 4 * 1024 * 1024;
/** How much of it an error shows, characters. */
const OUTPUT_SHOWN = 16_000;
/** How long a child may take to end after SIGTERM, milliseconds; then it is killed. */
const STOP_MS = 30_000;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * The whole environment but for PATH and the like: what the developer's shell happens to hold
   * must not change a test.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that it runs in: the project's own, unless it is to run a copy of that. */
  readonly folder?: string;
  /** What stands before the command, and becomes it: nothing on this machine itself. */
  readonly through?: readonly string[];
}

type LineListener = (line: string) => void;

/** What every program needs from the environment that it is started in. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_OPTIONS', 'NODE_V8_COVERAGE'];

/**
 * A program that a test runs. It gets a process group of its own and dies with the test run.
 * States: running -> ended; frozen is running without getting time (SIGSTOP).
 */
export class Child {
  readonly name: string;
  /** Settles when the program has ended; never rejects. */
  readonly exited: Promise<Exit>;
  private readonly process: ChildProcess;
  private readonly listeners = new Set<LineListener>();
  private kept = '';
  private length = 0;
  private readonly outputs = new Set<(text: string) => void>();
  private end: Exit | null = null;

  constructor({ name, command, args = [], env = {}, folder = ROOT, through = [] }: ChildOptions) {
    this.name = name;
    const inherited = Object.fromEntries(
      INHERITED.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])),
    );
    const [first = command, ...rest] = [...through, command, ...args];
    this.process = spawn(first, rest, {
      cwd: folder,
      env: { ...inherited, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const callOff =
      this.process.pid === undefined
        ? () => undefined
        : whenThisProcessIsGone('kill -s KILL -- "-$1"', String(this.process.pid));
    this.readLines('stdout');
    this.readLines('stderr');
    this.exited = new Promise((done) => {
      const end = (exit: Exit) => {
        this.end = exit;
        callOff();
        done(exit);
      };
      this.process.once('error', (error) => {
        this.keep(String(error));
        end({ code: null, signal: null });
      });
      this.process.once('close', (code, signal) => {
        end({ code, signal });
      });
    });
    onCleanUp(() => this.kill());
  }

  get running(): boolean {
    return this.end === null;
  }

  /** Of a program that was started. */
  get pid(): number {
    if (this.process.pid === undefined) throw new Error(`${this.name} could not be started`);
    return this.process.pid;
  }

  /** Returns the latest output, both streams as they came. */
  get output(): string {
    return this.kept;
  }

  /** Returns how much was printed so far, characters. */
  get printed(): number {
    return this.length;
  }

  /** Returns what was printed from a value of `printed` on, as far as it is kept. */
  outputSince(start: number): string {
    const wanted = Math.min(this.length - start, this.kept.length);
    return this.kept.slice(this.kept.length - wanted);
  }

  /**
   * Calls `listener` with all that was printed and that is printed from now on, until the returned
   * function is called.
   */
  onOutput(listener: (text: string) => void): () => void {
    listener(this.kept);
    this.outputs.add(listener);
    return () => this.outputs.delete(listener);
  }

  /**
   * Waits for a line of output that `pick` makes something of. Lines from before the call count, as
   * far as they are kept.
   */
  async line<T>(
    what: string,
    deadlineMs: number,
    pick: (line: string) => T | undefined,
  ): Promise<T> {
    return this.pickLine(what, deadlineMs, pick, this.kept.split('\n'));
  }

  /** Waits for a line with this text; only lines from now on count. */
  async nextLine(text: string, deadlineMs: number): Promise<string> {
    return this.pickLine(
      `says "${text}"`,
      deadlineMs,
      (line) => (line.includes(text) ? line : undefined),
      [],
    );
  }

  /** Waits for a condition; an early end of the program rejects at once, with its last words. */
  async until<T>(
    what: string,
    deadlineMs: number,
    condition: () => Promise<T | undefined> | T | undefined,
  ): Promise<T> {
    try {
      return await waitUntil(
        `${this.name}: ${what}`,
        deadlineMs,
        condition,
        () => this.end !== null,
      );
    } catch (error) {
      const message = this.end
        ? `${this.name} ended (${described(this.end)}) before: ${what}`
        : (error as Error).message;
      throw new Error(
        `${message}\n--- last output of ${this.name}\n${this.kept.slice(-OUTPUT_SHOWN)}`,
        { cause: error },
      );
    }
  }

  /** Asks it to end and waits until it has. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    const late = setTimeout(() => {
      this.signal('SIGKILL');
    }, STOP_MS);
    const exit = await this.exited;
    clearTimeout(late);
    return exit;
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<Exit> {
    this.signal('SIGKILL');
    return this.exited;
  }

  /** It keeps its connections and gets no time, like a machine that hangs. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  /** Sends it a signal, if it still runs. */
  signal(signal: NodeJS.Signals): void {
    if (this.end || this.process.pid === undefined) return;
    // SIGTERM is for the program alone; everything else is for the helpers that it has started as
    // well.
    const target = signal === 'SIGTERM' ? this.process.pid : -this.process.pid;
    try {
      process.kill(target, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  private async pickLine<T>(
    what: string,
    deadlineMs: number,
    pick: (line: string) => T | undefined,
    earlier: readonly string[],
  ): Promise<T> {
    let found: T | undefined;
    const look: LineListener = (line) => {
      found ??= pick(line);
    };
    earlier.forEach(look);
    this.listeners.add(look);
    try {
      return await this.until(what, deadlineMs, () => found);
    } finally {
      this.listeners.delete(look);
    }
  }

  private readLines(stream: 'stdout' | 'stderr'): void {
    let rest = '';
    this.process[stream]?.setEncoding('utf8').on('data', (text: string) => {
      this.keep(text);
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-OUTPUT_KEPT);
      for (const line of lines) for (const listener of this.listeners) listener(line);
    });
  }

  private keep(text: string): void {
    this.kept += text;
    this.length += text.length;
    for (const output of this.outputs) output(text);
    // Not with every line: what is cut off is copied.
    if (this.kept.length > 2 * OUTPUT_KEPT) this.kept = this.kept.slice(-OUTPUT_KEPT);
  }
}

const described = ({ code, signal }: Exit): string =>
  signal ?? (code === null ? 'it could not be started' : `exit code ${code}`);

/**
 * Returns the environment of this process as it is, for tools that a developer configures through
 * it: proxies, the address of Docker.
 */
export function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}

/** Runs a program to its end and returns what it printed; any end but exit code 0 rejects. */
export async function run(options: ChildOptions, deadlineMs: number): Promise<string> {
  const child = new Child(options);
  const late = setTimeout(() => void child.kill(), deadlineMs);
  const exit = await timed('programs', () => child.exited);
  clearTimeout(late);
  if (exit.code === 0) return child.output;
  throw new Error(
    `${options.name} failed (${described(exit)})\n${child.output.slice(-OUTPUT_SHOWN)}`,
  );
}
