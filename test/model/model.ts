import { join } from 'node:path';
import { ROOT, run } from '../support/service/child';
import { temporaryFolder } from '../support/run/cleanup';
import { findProgram } from '../support/servers/private/programs';

/**
 * Runs the model of the pipeline, `docs/model/pipeline.pml`, with Spin: every state that can be
 * reached, or the first fault on the way.
 */

export const MODEL = join(ROOT, 'docs/model/pipeline.pml');

/**
 * How long one search may take, milliseconds; on a quiet machine the longest takes a minute and a
 * half.
 */
export const SEARCH_MS = 900_000;
/** Most memory of a search, MiB, and the deepest path. */
const MEMORY_MIB = 4000;
const DEPTH_MAX = 3000;
/**
 * No partial order reduction, which would find nothing to leave out: all steps are about what all
 * can see. A state is kept whole, in parts that are shared (COLLAPSE), so that none is taken for
 * another.
 */
const COMPILED = [
  '-w',
  '-O1',
  '-DSAFETY',
  '-DNOREDUCE',
  '-DCOLLAPSE',
  '-DVECTORSZ=2048',
  `-DMEMLIM=${MEMORY_MIB}`,
];

export interface Search {
  /** Properties as the model calls them; null when all hold. */
  readonly broken: string | null;
  readonly states: number;
  /** Nothing was left out. */
  readonly complete: boolean;
}

export interface Programs {
  readonly spin: string;
  readonly compiler: string;
}

/** Null when Spin or a C compiler is missing. */
export function modelPrograms(): Programs | null {
  const spin = findProgram('spin');
  const compiler = findProgram('gcc', 'cc', 'clang');
  return spin && compiler ? { spin, compiler } : null;
}

export const MISSING =
  'The model of the pipeline was not run: it needs spin (a package of Debian) and a C compiler.';

/** Searches the model with these definitions, such as `FAULTS=1`. */
export async function search(
  { spin, compiler }: Programs,
  definitions: readonly string[],
): Promise<Search> {
  const folder = await temporaryFolder('model');
  const step = (name: string, command: string, args: readonly string[]) =>
    run({ name, command, args, folder }, SEARCH_MS);
  await step('spin', spin, ['-a', ...definitions.map((definition) => `-D${definition}`), MODEL]);
  await step('C compiler', compiler, [...COMPILED, '-o', 'pan', 'pan.c']);
  const said = await step('search', join(folder, 'pan'), [`-m${DEPTH_MAX}`, '-w22']);
  const errors = /errors: (\d+)/.exec(said)?.[1];
  const states = Number(/(\d+) states, stored/.exec(said)?.[1]);
  if (errors === undefined || Number.isNaN(states))
    throw new Error(`The search said nothing that is understood:\n${said}`);
  const broken =
    /assertion violated (\S+)/.exec(said)?.[1] ??
    (said.includes('pan:1: invalid end state') ? 'invalid end state' : null);
  return {
    broken,
    states,
    complete:
      errors === '0' && !/max search depth too small|Search not completed|memory limit/.test(said),
  };
}
