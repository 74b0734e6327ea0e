import { openLibrary } from '../../support/clients/books';
import { newPoison } from '../../support/faults/poison';
import { newSecret, startServers, type Program } from '../../support/service/processes';
import { exportedSecret, targetAt } from '../../support/service/target';
import { waitUntil } from '../../support/wait';

/** The way of a command through the logs of the programs, found by its id. */

const WAIT_MS = 20_000;

/**
 * The messages of the log lines that name a command, in order, once they are as many as `count`.
 */
async function linesOf({ child }: Program, commandId: string, count: number): Promise<string[]> {
  return waitUntil(`${count} lines of ${commandId}`, WAIT_MS, () => {
    const lines = child.output.split('\n').filter((line) => line.includes(commandId));
    return lines.length >= count
      ? lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
      : undefined;
  });
}

/** The line of a request. */
const requestLine = ({ child }: Program, requestId: string): Promise<object> =>
  child.line(`names ${requestId}`, WAIT_MS, (line) =>
    line.includes(`"${requestId}"`) ? (JSON.parse(line) as object) : undefined,
  );

it('names a command by its id in every line, and who was refused for lack of rights', async () => {
  const poison = await newPoison();
  const { apis, workers } = await startServers({
    env: { ...poison.env, JWT_SECRET: exportedSecret(newSecret) },
  });
  const [api, worker] = [apis[0], workers[0]] as [Program & { url: string }, Program];
  const library = await openLibrary(targetAt('servers', [api.url]));
  const [{ bookInfoId }, { bookInfoId: bad }] = [await library.single(), await library.single()];
  await poison.set({ [bad]: 'throw' });
  /** The id of a borrow, out of the line of its request. */
  const borrowed = async (title: number, status: number) => {
    const requestId = `lines-${title}-${status}`;
    const { token } = library.newReader();
    expect(
      await library.call('post', '/api/borrows', {
        token,
        body: { bookInfoId: title },
        headers: { 'X-Request-Id': requestId },
      }),
    ).toMatchObject({ status });
    return api.child.line('names the command', WAIT_MS, (line) =>
      line.includes(`"${requestId}"`) ? /"commandId":"([0-9a-f]{40})"/.exec(line)?.[1] : undefined,
    );
  };
  const [done, refused, putAside] = [
    await borrowed(bookInfoId, 201),
    await borrowed(bookInfoId, 409),
    await borrowed(bad, 500),
  ];
  for (const commandId of [done, refused]) {
    expect(await linesOf(api, commandId, 1)).toEqual(['request']);
    expect(await linesOf(worker, commandId, 1)).toEqual(['batch committed']);
  }
  const { userId, token } = library.newReader();
  const headers = { 'X-Request-Id': 'lines-without-right' };
  await library.call('get', '/api/users', { token, headers });
  expect(await requestLine(api, 'lines-without-right')).toMatchObject({
    ...{ name: 'lendline-api', requestId: 'lines-without-right', status: 403, userId },
    time: expect.stringMatching(/^[\d-]{10}T[\d:.]{12}Z$/) as string,
  });
  const lines = await linesOf(worker, putAside, 2);
  expect([...new Set(lines)]).toEqual(['batch failed', 'message became a dead letter']);
  for (const { child } of [api, worker]) {
    const printed = child.output.split('\n').slice(0, -1);
    // Node itself warns in parentheses of what the poison imports.
    expect(printed.filter((line) => !/^(?:\{.*\}|\(.*)$/.test(line))).toEqual([]);
  }
}, 240_000);
