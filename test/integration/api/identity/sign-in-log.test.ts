import { ADMIN, startEmbedded } from '../../../support/service/processes';
import { administratorMade, signsIn } from '../../../support/clients/sign-in';
import { waitUntil } from '../../../support/wait';

/** Sign-ins in the log, which LOG_LEVEL does not hold back. */

const WRITTEN_MS = 20_000;

interface Line {
  readonly audit?: boolean;
  readonly action?: string;
}

const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const actionsOf = (output: string) => linesOf(output).map(({ action }) => action);

async function signInAt(level: string) {
  const { url, child } = await startEmbedded({ env: { LOG_LEVEL: level } });
  expect(await signsIn(url, ADMIN.username, 'a wrong pass phrase')).toBe(false);
  await administratorMade(url);
  return child;
}

it('a sign-in and a failed one are logged at the highest threshold, and nothing else is', async () => {
  const child = await signInAt('fatal');
  await waitUntil('both are logged', WRITTEN_MS, () =>
    ['identity.signed-in', 'identity.sign-in-failed'].every((action) =>
      actionsOf(child.output).includes(action),
    ),
  );
  const signedIn = linesOf(child.output).find(({ action }) => action === 'identity.signed-in');
  expect(signedIn).toMatchObject({
    audit: true,
    userId: 1,
    target: 'user:1',
    address: '127.0.0.1',
    requestId: expect.any(String) as string,
  });
  expect(linesOf(child.output).filter(({ audit }) => !audit)).toEqual([]);
  expect(child.output).not.toContain(ADMIN.password);
});

it('a program that is silent logs no sign-in', async () => {
  const child = await signInAt('silent');
  await child.stop();
  expect(linesOf(child.output)).toEqual([]);
});
