import { OpsShell } from './ops-shell';
import type { Environment } from './processes';

const shell = new OpsShell();

/**
 * The start ends with exit code 1 and one sentence that matches; log lines, which are JSON, may
 * come before it. The starts of a test file are those of one process, in another `shell` where one
 * is given.
 */
export async function expectStartError(
  file: string,
  env: Environment,
  sentence: RegExp,
  starts: Pick<OpsShell, 'startInVain'> = shell,
): Promise<void> {
  const { code, output } = await starts.startInVain(file, env);
  const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect({ code, said }).toEqual({ code: 1, said: [expect.stringMatching(sentence)] });
}
