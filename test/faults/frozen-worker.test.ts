import { Editor } from '../support/clients/editor';
import { held } from '../support/run/held';
import { startServers, type Program, type System } from '../support/service/processes';
import { startProxy, type Proxy } from '../support/faults/proxy';
import { audit } from '../support/check/storm-check';

/** Texts in what a worker sends to MySQL: where a batch begins, and where it writes and commits. */
const BEGIN = 'UPDATE partition_owner SET batches';
const COMMIT = 'INTO `command_outcome`';
const RENAMINGS = 20;
/** How long a worker that goes on may take to find out, milliseconds. */
const FOUND_OUT_MS = 30_000;

describe('a worker that is frozen for longer than the heartbeat, and then continues', () => {
  let system: System;
  let editor: Editor;
  let toFrozen: Proxy;
  let frozen: Program;
  let title: number;

  beforeEach(async () => {
    system = await startServers({ workers: 0 });
    toFrozen = await startProxy(system.workerEnv.MYSQL_URL ?? '', 3306);
    frozen = await system.addWorker({ MYSQL_URL: toFrozen.url });
    editor = new Editor(system.apis[0]?.url ?? '', system.env.JWT_SECRET ?? '');
    [title = 0] = await editor.register(1);
  });

  const renameOften = async (): Promise<string[]> => {
    const promises: string[] = [];
    for (let count = 0; count < RENAMINGS; count += 1) promises.push(await editor.rename(title));
    return promises;
  };
  const inOrder = Array.from({ length: RENAMINGS }, (_, index) => index + 2);

  afterEach(async () => {
    expect(frozen.child.running).toBe(true);
    await audit(system.env);
    await system.stop();
  });

  it('commits neither the batch that it was about to begin nor later ones', async () => {
    const begun = toFrozen.holdBack(BEGIN);
    const renamings = await renameOften();
    const letGo = await begun;
    frozen.child.freeze();
    const toNext = await startProxy(system.workerEnv.MYSQL_URL ?? '', 3306);
    const takenOver = toNext.holdBack(BEGIN);
    await system.addWorker({ MYSQL_URL: toNext.url });
    const letNextGo = await takenOver;
    // The partition has a new owner, who has done nothing yet: whatever is done now, the old one
    // does.
    await letGo();
    const fenced = frozen.child.nextLine('"next":"fenced"', FOUND_OUT_MS);
    frozen.child.thaw();
    await fenced;
    for (const renaming of renamings) expect(await editor.result(renaming)).toBeNull();
    await letNextGo();
    expect(await editor.versions(renamings)).toEqual(inOrder);
    await held(
      4,
      system.env,
      `once, with ${RENAMINGS} commands in its hands`,
      'fenced: it committed nothing more; each command carried out once, in order',
    );
  }, 120_000);

  it('loses its open transaction: nothing of it is stored, and nothing stays locked', async () => {
    const committing = toFrozen.holdBack(COMMIT);
    const renamings = await renameOften();
    await committing;
    frozen.child.freeze();
    await system.addWorker();
    expect(await editor.versions(renamings)).toEqual(inOrder);
    const failed = frozen.child.nextLine('batch failed', FOUND_OUT_MS);
    frozen.child.thaw();
    toFrozen.open();
    await failed;
    const more = await renameOften();
    expect(await editor.versions(more)).toEqual(inOrder.map((version) => version + RENAMINGS));
    await held(
      5,
      system.env,
      `once, with ${RENAMINGS} commands in its hands`,
      'its transaction was ended, nothing of it stored and nothing locked; each command carried out once, in order',
    );
  }, 120_000);
});
