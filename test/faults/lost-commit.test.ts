import { Editor } from '../support/clients/editor';
import { held } from '../support/run/held';
import { startServers, type Program, type System } from '../support/service/processes';
import { startProxy, type Proxy } from '../support/faults/proxy';
import { audit } from '../support/check/storm-check';

/** A text in what a worker sends to MySQL where it writes and commits. */
const COMMIT = 'INTO `command_outcome`';
/** How long a worker may take to give a connection up that says nothing, milliseconds. */
const SILENCE_MS = 30_000;

describe('a worker that gets no answer to its COMMIT', () => {
  let system: System;
  let proxy: Proxy;
  let worker: Program;
  let editor: Editor;
  let title: number;

  beforeEach(async () => {
    system = await startServers({ workers: 0 });
    proxy = await startProxy(system.workerEnv.MYSQL_URL ?? '', 3306);
    worker = await system.addWorker({ MYSQL_URL: proxy.url });
    editor = new Editor(system.apis[0]?.url ?? '', system.env.JWT_SECRET ?? '');
    [title = 0] = await editor.register(1);
  });

  afterEach(async () => {
    await audit(system.env);
    await system.stop();
  });

  const triesAgain = () => worker.child.nextLine('batch failed', SILENCE_MS);

  it('finds the batch committed, and gives the stored answers: one effect, not two', async () => {
    const committing = proxy.loseAnswer(COMMIT);
    const borrowing = await editor.promised('POST', '/api/borrows', { bookInfoId: title });
    const breakConnection = await committing;
    const endedAndBroken = async () => {
      // The API finds the stored outcome by itself, so the worker's answer is not what ends this
      // wait.
      const ended = await editor.ended(borrowing);
      breakConnection();
      return ended;
    };
    // The worker may lose patience with its connection before the API has looked, and then it tries
    // again before it is broken.
    const [borrow] = await Promise.all([endedAndBroken(), triesAgain()]);
    expect(borrow).toMatchObject({ bookInfoId: title, status: 'BORROWED' });
    // The queue goes on behind that command, and what it stored has not changed.
    const again = await editor.promised('POST', '/api/borrows', { bookInfoId: title });
    expect(await editor.ended(again)).toMatchObject({
      code: 'ALREADY_BORROWED',
      borrowId: borrow.borrowId,
    });
    expect(await editor.ended(borrowing)).toEqual(borrow);
    await held(11, system.env, 'the answer alone was lost', 'one effect and one answer');
  }, 300_000);

  it('finds the batch missing, and carries it out: one effect, not none', async () => {
    const committing = proxy.holdBack(COMMIT);
    const renaming = await editor.rename(title);
    await committing;
    proxy.cut();
    proxy.open();
    expect(await editor.versions([renaming])).toEqual([2]);
    await held(11, system.env, 'the COMMIT itself was lost', 'one effect and one answer');
  }, 300_000);

  it('waits only as long as a server may be silent, then ends the transaction that the server still holds', async () => {
    const committing = proxy.holdBack(COMMIT);
    const renaming = await editor.rename(title);
    await committing;
    // Its connection stays as it is: the server waits for the rest of the transaction, and keeps
    // its rows locked.
    await triesAgain();
    expect(await editor.versions([renaming])).toEqual([2]);
    await held(11, system.env, 'the connection fell silent', 'one effect and one answer');
  }, 300_000);
});
