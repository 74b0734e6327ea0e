import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { partitionName, partitionOf } from '../../../../shared/messaging/topology';
import { Clients } from '../../../support/clients/clients';
import { runOps } from '../../../support/service/ops-program';
import { OpsShell } from '../../../support/service/ops-shell';
import { startServers, type System } from '../../../support/service/processes';
import { publish } from '../../../support/clients/publish';
import { waitUntil } from '../../../support/wait';
import { addCopies, deleteTitle } from '../../../support/models/lending/commands';

/**
 * Who can publish on the broker, and knows nothing of the installation's secret, acts as an
 * administrator.
 */

const WAIT_MS = 60_000;
const PARTITIONS = 16;

let system: System;
let clients: Clients;
let shell: OpsShell;
beforeAll(async () => {
  system = await startServers({ apis: 1, workers: 1 });
  shell = new OpsShell(system.env);
  clients = new Clients(system.apis[0]!.url, system.env.JWT_SECRET!);
});

const queueOf = (title: number) =>
  partitionName('lending', partitionOf(`book-info:${title}`, PARTITIONS));
const deadLettersOf = async (reason: RegExp) => {
  const { json } = await shell.run('dead-letters', 'list', '--json');
  return (json.items as { reason: string; type: string | null; partition: string }[]).filter(
    (letter) => reason.test(letter.reason),
  );
};

it('a forged command becomes a dead letter that is no command, and those behind it are carried out', async () => {
  const title = await clients.newTitle(1);
  await publish(system.env, queueOf(title), [[encodeEnvelope(deleteTitle(title))]], {
    signed: false,
  });
  expect(await clients.ending(await clients.borrow(title))).toBe('succeeded');
  const found = await waitUntil(
    'the dead letter',
    WAIT_MS,
    async () => (await deadLettersOf(/not signed/))[0],
  );
  expect(found).toMatchObject({ type: null });
  expect(await clients.title(title)).toMatchObject({ totalStock: 1 });
});

it('a forged dead letter cannot be replayed as a command', async () => {
  const title = await clients.newTitle(1);
  const given = deleteTitle(title);
  const headers = { 'x-first-death-queue': queueOf(title), 'x-first-death-reason': 'forged' };
  await publish(system.env, 'lending.commands.dead', [[encodeEnvelope(given)]], {
    headers,
    signed: false,
  });
  const found = await waitUntil(
    'the dead letter',
    WAIT_MS,
    async () => (await deadLettersOf(/forged/))[0],
  );
  expect(found).toMatchObject({ type: null });
  expect((await shell.run('dead-letters', 'replay', given.commandId, '--json')).code).not.toBe(0);
  expect(await clients.title(title)).toMatchObject({ totalStock: 1 });
});

it('a change of the number of partitions makes no command of a forged one that comes late', async () => {
  const title = await clients.newTitle(1);
  const queue = queueOf(title);
  let changed = false;
  const change = runOps(system.env, 'partitions', 'resize', '3').finally(() => (changed = true));
  const forge = () =>
    publish(system.env, queue, [[encodeEnvelope(addCopies(title, 7))]], { signed: false });
  const movedOnes = async () =>
    (await deadLettersOf(/not signed/)).filter(({ partition }) => partition.includes('.g2.'));
  await waitUntil('one was moved', WAIT_MS, async () => {
    if (!changed) await forge();
    return (await movedOnes()).length > 0;
  });
  expect((await change).code).toBe(0);
  expect(await clients.ending(await clients.borrow(title))).toBe('succeeded');
  expect(await clients.title(title)).toMatchObject({ totalStock: 1 });
});

it('COMMAND_SIGNATURES=ignored lets workers take commands that are not signed', async () => {
  const title = await clients.newTitle(1);
  for (const worker of system.workers) await worker.stop();
  await system.addWorker({ COMMAND_SIGNATURES: 'ignored' });
  const queue = `lending.commands.g2.${String(partitionOf(`book-info:${title}`, 3)).padStart(2, '0')}`;
  await publish(system.env, queue, [[encodeEnvelope(addCopies(title, 7))]], { signed: false });
  await waitUntil(
    'the copies are there',
    WAIT_MS,
    async () => (await clients.title(title)).totalStock === 8,
  );
});
