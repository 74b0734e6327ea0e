import { startInVain, type Environment } from './processes';

/**
 * The start ends with exit code 1 and one sentence that matches; log lines, which are JSON, may
 * come before it.
 */
export async function expectStartError(
  file: string,
  env: Environment,
  sentence: RegExp,
): Promise<void> {
  const { code, output } = await startInVain(file, env);
  const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect({ code, said }).toEqual({ code: 1, said: [expect.stringMatching(sentence)] });
}
