import type { Delivery } from '../../../../shared/messaging/transport';
import { COMMAND_FAILED, type Envelope } from '../../../../shared/command';
import { POISON_TRIES_MAX } from '../../../../workers/batch/failures/retry';
import { borrow, giveBack } from '../../../support/models/lending/commands';
import { faulty, deadLetterIds, type Fault } from './dead-letters';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase, PARTITIONS } from '../../../support/servers/database';
import { waitUntil } from '../../../support/wait';
import { newTitle, newUser } from './rows';

/** Faults of the system, and not of a command: what fails waits until they are mended. */

/** The titles at which a decision throws. */
const poisoned = new Map<number, Fault>();
const throwing = faulty(poisoned);

describe.each(DIALECTS)('a table that is missing for a time on %s', (dialect) => {
  it('makes no dead letter: the commands of both titles wait for it and are carried out', async () => {
    const database = await emptyDatabase(dialect);
    const rig = new Rig({ database });
    const [one, other] = [await newTitle(rig, 1), await newTitle(rig, 1)];
    const rename = (from: string, to: string) =>
      database.query(`ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('book_user', 'book_user_away');
    const given = [borrow(newUser(), one.bookInfoId), borrow(newUser(), other.bookInfoId)];
    let tries = 0;
    rig.hooks.begin = async () => {
      // More tries than both commands together would need to be dead-lettered.
      if ((tries += 1) === 2 * POISON_TRIES_MAX + 2) await rename('book_user_away', 'book_user');
    };
    await rig.process(given);
    expect(await deadLetterIds()).toEqual([]);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.unacknowledged).toEqual([]);
  });
});

describe.each(DIALECTS)('commands of several titles that fail alike on %s', (dialect) => {
  let rig: Rig;
  let given: readonly [Envelope, Envelope];
  let healthyTitle: number;
  beforeAll(async () => {
    const database = await emptyDatabase(dialect);
    rig = new Rig({ database, wrapLending: throwing });
  });
  beforeEach(async () => {
    poisoned.clear();
    const titles = [
      (await newTitle(rig, 1)).bookInfoId,
      (await newTitle(rig, 1)).bookInfoId,
    ] as const;
    healthyTitle = (await newTitle(rig, 1)).bookInfoId;
    for (const title of titles) poisoned.set(title, 'throws');
    given = [borrow(newUser(), titles[0]), borrow(newUser(), titles[1])];
  });

  /** More passes than a command that is at fault has tries. */
  async function passes(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    let left = deliveries;
    for (let pass = 0; pass < POISON_TRIES_MAX + 2; pass += 1)
      left = await rig.processor.process(left);
    return left;
  }

  it('wait until the system is repaired, and make no dead letter', async () => {
    const left = await passes(await rig.deliver(given));
    expect(left).toHaveLength(2);
    expect(await deadLetterIds()).toEqual([]);
    await waitUntil('the stall is reported', 10_000, async () => {
      await rig.processor.process(left);
      return rig.stall.reason;
    });
    expect(rig.stall.reason).toBe(
      'Commands of several aggregates fail alike: TypeError: stock is undefined',
    );
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.stall.reason).toBeNull();
    expect(rig.unacknowledged).toEqual([]);
  });

  it('are dead-lettered as soon as a command of their type is carried out', async () => {
    const left = await passes(await rig.deliver(given));
    const healthy = borrow(newUser(), healthyTitle);
    await rig.processAll([...left, ...(await rig.deliver([healthy]))]);
    expect(rig.endings([...given, healthy])).toEqual([COMMAND_FAILED, COMMAND_FAILED, 'created']);
    expect(await deadLetterIds()).toEqual(given.map(({ commandId }) => commandId));
    expect(rig.stall.reason).toBeNull();
    expect(rig.unacknowledged).toEqual([]);
  });

  it('wait, as do later commands of their titles, in their order behind one that waits', async () => {
    const later = given.map((one) =>
      giveBack(one.actor.userId as number, (one.payload as { bookInfoId: number }).bookInfoId),
    );
    for (const title of poisoned.keys()) poisoned.set(title, 'throws on borrows');
    const left = await passes(await rig.deliver([...given, ...later]));
    expect(rig.endings(later)).toEqual([undefined, undefined]);
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings([...given, ...later])).toEqual(['created', 'created', 'done', 'done']);
  });

  it('do not keep other aggregates of their partitions waiting', async () => {
    const neighbours: Envelope[] = [];
    while (neighbours.length < PARTITIONS * 3)
      neighbours.push(giveBack(newUser(), (await newTitle(rig, 1)).bookInfoId));
    const left = await passes(await rig.deliver([...given, ...neighbours]));
    expect(new Set(rig.endings(neighbours))).toEqual(new Set(['BORROW_NOT_FOUND']));
    expect(rig.endings(given)).toEqual([undefined, undefined]);
    poisoned.clear();
    await rig.processAll(left);
    expect(rig.endings(given)).toEqual(['created', 'created']);
    expect(rig.unacknowledged).toEqual([]);
  });
});
