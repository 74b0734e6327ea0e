import { services } from '../../../shared/services';
import { commands } from '../../../workers/ops/commands';
import { run } from '../../../workers/ops/run';

/** The operator's tools, called in this process. */

export interface Printed {
  stdout: string;
  stderr: string;
}

/** Returns the output of `work` and its result. */
export async function captured<Result>(
  work: () => Promise<Result>,
): Promise<Printed & { readonly result: Result }> {
  const printed: Printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  try {
    return { result: await work(), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Returns what a call prints, and its exit code. */
export async function ops(
  ...argv: readonly string[]
): Promise<Printed & { readonly exitCode: number }> {
  const { result: exitCode, ...printed } = await captured(() => run(argv, commands, services));
  return { exitCode, ...printed };
}
