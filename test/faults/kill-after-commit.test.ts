import { Editor } from '../support/clients/editor';
import { held } from '../support/run/held';
import { startServers, type System } from '../support/service/processes';
import { startProxy } from '../support/faults/proxy';
import { audit } from '../support/check/storm-check';

/**
 * A text in what a worker sends to MySQL where it writes and commits, and one in what it sends to
 * the broker when it replies.
 */
const COMMIT = 'INTO `command_outcome`';
const REPLY = 'replies.';
const ROUNDS = 5;

describe('kill -9 of a worker that has committed', () => {
  let system: System;
  let editor: Editor;

  beforeEach(async () => {
    system = await startServers({ workers: 0 });
    editor = new Editor(system.apis[0]?.url ?? '', system.env.JWT_SECRET ?? '');
  });
  afterEach(() => audit(system.env));

  const toMysql = () => startProxy(system.workerEnv.MYSQL_URL ?? '', 3306);
  const toRabbitmq = () => startProxy(system.workerEnv.RABBITMQ_URL ?? '', 5672);

  it('before it knows of its commit: its commands are delivered again, have no second effect, and get their first answer', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const proxy = await toMysql();
      const worker = await system.addWorker({ MYSQL_URL: proxy.url });
      const [title = 0] = await editor.register(1);
      const committing = proxy.loseAnswer(COMMIT);
      const borrowing = await editor.promised('POST', '/api/borrows', { bookInfoId: title });
      await committing;
      const borrow = await editor.ended(borrowing);
      await worker.kill();
      const next = await system.addWorker();
      // Behind what was delivered again: the queue goes on, and that had no second effect.
      const again = await editor.promised('POST', '/api/borrows', { bookInfoId: title });
      expect(await editor.ended(again)).toMatchObject({
        code: 'ALREADY_BORROWED',
        borrowId: borrow.borrowId,
      });
      expect(await editor.ended(borrowing)).toEqual(borrow);
      await next.stop();
    }
    await held(
      2,
      system.env,
      `${ROUNDS} times`,
      'delivered again without a second effect, same answer',
    );
  }, 240_000);

  it('before it has replied: waiting clients get the stored answer, with no worker left', async () => {
    // Registered by another worker: the first reply of each one that is killed is the one for the
    // borrow.
    const registering = await system.addWorker();
    const titles = await editor.register(ROUNDS);
    await registering.stop();
    for (const title of titles) {
      const proxy = await toRabbitmq();
      const worker = await system.addWorker({ RABBITMQ_URL: proxy.url });
      const replying = proxy.holdBack(REPLY);
      const borrowing = editor.written('POST', '/api/borrows', { bookInfoId: title });
      await replying;
      await worker.kill();
      expect(await borrowing).toMatchObject({
        status: 201,
        body: { bookInfoId: title, status: 'BORROWED' },
      });
      const next = await system.addWorker();
      expect(await editor.written('POST', '/api/borrows', { bookInfoId: title })).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_BORROWED' },
      });
      await next.stop();
    }
    await held(
      3,
      system.env,
      `${ROUNDS} times, with nobody left to reply`,
      'who waited got the right answer; one effect',
    );
  }, 240_000);
});
