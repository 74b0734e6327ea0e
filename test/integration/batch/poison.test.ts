import type { Sequelize } from 'sequelize-typescript';
import type { Delivery } from '../../../shared/messaging/transport';
import { COMMAND_FAILED, type Envelope } from '../../../shared/command';
import { encodeEnvelope } from '../../../shared/messaging/envelope';
import type { WorkerService } from '../../../workers/batch/decision';
import { takeOver } from '../../../workers/batch/fence';
import { borrow, giveBack } from '../../unit/lending/commands';
import { DIALECTS, emptyDatabase, Rig } from './rig';
import { newTitle, newUser, storedOutcomes, titleRows } from './rows';

/** The titles at which a decision throws. */
const poisoned = new Set<number>();

function throwing(service: WorkerService): WorkerService {
  return {
    ...service,
    plan(commands, upcoming) {
      const plan = service.plan(commands, upcoming);
      return {
        ...plan,
        open(results) {
          const work = plan.open(results);
          return {
            ...work,
            decide(command, context) {
              if (poisoned.has((command.payload as { bookInfoId: number }).bookInfoId)) throw new TypeError('stock is undefined');
              return work.decide(command, context);
            },
          };
        },
      };
    },
  };
}

describe.each(DIALECTS)('a command that cannot be carried out on %s', (dialect) => {
  let database: Sequelize;
  let rig: Rig;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(() => {
    poisoned.clear();
    rig = new Rig({ database, wrapLending: throwing });
  });

  async function titles(): Promise<{ good: number; bad: number }> {
    const [good, bad] = [await newTitle(rig, 1), await newTitle(rig, 1)];
    poisoned.add(bad.bookInfoId);
    rig.calls.splice(0);
    return { good: good.bookInfoId, bad: bad.bookInfoId };
  }

  it('is isolated: its neighbours are carried out, in order', async () => {
    const { good, bad } = await titles();
    const [ann, bo, cy] = [newUser(), newUser(), newUser()];
    const poison = borrow(ann, bad);
    const given = [borrow(ann, good), borrow(bo, good), poison, giveBack(ann, good), borrow(bo, good), borrow(cy, good), giveBack(bo, good), borrow(cy, good)];
    await rig.process(given);
    expect(rig.endings(given)).toEqual(['created', 'OUT_OF_STOCK', COMMAND_FAILED, 'done', 'created', 'OUT_OF_STOCK', 'done', 'created']);
    expect(rig.of('dead').map(({ content }) => content)).toEqual([encodeEnvelope(poison)]);
    const answered = rig.of('reply').flatMap(({ outcomes }) => outcomes.map(({ commandId }) => commandId));
    expect(answered).toEqual(given.map(({ commandId }) => commandId));
    expect((await titleRows(good))[0]).toMatchObject({ availableStock: 0, borrowCount: 3 });
  });

  it('is put aside with its reason before its waiter is told, and that before it is acknowledged', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    await rig.process([poison]);
    expect(rig.kinds()).toEqual(['dead', 'reply', 'ack']);
    expect(rig.of('dead')[0]).toMatchObject({ content: encodeEnvelope(poison), reason: 'TypeError: stock is undefined' });
    expect(rig.endings([poison])).toEqual([COMMAND_FAILED]);
    expect((await titleRows(bad))[0]).toMatchObject({ availableStock: 1, borrowCount: 0 });
  });

  it('is answered the same when it comes again, and is not put aside a second time', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    await rig.process([poison]);
    const next = new Rig({ database, wrapLending: throwing });
    await next.process([poison]);
    expect(JSON.stringify([...next.replied()])).toBe(JSON.stringify([...rig.replied()]));
    expect(next.of('dead')).toEqual([]);
  });

  it('leaves each delivery acknowledged once, wherever it stood', async () => {
    const { good, bad } = await titles();
    for (let place = 0; place < 5; place += 1) {
      const given: Envelope[] = [1, 2, 3, 4].map(() => borrow(newUser(), good));
      given.splice(place, 0, borrow(newUser(), bad));
      // The recorder throws, as a broker closes the channel, on a tag that was acknowledged before.
      await rig.process(given);
      expect(rig.unacknowledged).toEqual([]);
    }
    expect(rig.of('dead')).toHaveLength(5);
  });

  it('is found when there are several', async () => {
    const { good, bad } = await titles();
    const given = [borrow(newUser(), bad), borrow(newUser(), good), borrow(newUser(), bad), borrow(newUser(), bad), borrow(newUser(), good)];
    await rig.process(given);
    expect(rig.endings(given)).toEqual([COMMAND_FAILED, 'created', COMMAND_FAILED, COMMAND_FAILED, 'OUT_OF_STOCK']);
    expect(rig.of('dead')).toHaveLength(3);
  });

  it('is not lost when it can be put aside, or its end be stored, only later', async () => {
    const { good, bad } = await titles();
    const poison = borrow(newUser(), bad);
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    let deadTries = 0;
    let endTries = 0;
    rig.hooks.dead = () => ((deadTries += 1) <= 2 ? Promise.reject(away) : undefined);
    rig.hooks.between = () => ((endTries += 1) <= 5 ? Promise.reject(away) : undefined);
    await rig.process([poison]);
    expect([deadTries, endTries]).toEqual([3, 6]);
    expect(rig.kinds()).toEqual(['dead', 'reply', 'ack']);
    expect(await storedOutcomes([poison])).toHaveLength(1);
    // No transaction was left open: the next batch gets the writer's turn and a connection.
    const next = borrow(newUser(), good);
    await rig.process([next]);
    expect(rig.endings([next])).toEqual(['created']);
  });

  it('is not answered by a worker that was fenced out meanwhile, for it may succeed elsewhere', async () => {
    const { bad } = await titles();
    const poison = borrow(newUser(), bad);
    const deliveries = await rig.deliver([poison]);
    rig.hooks.dead = async () => {
      await takeOver(database, 'another', deliveries.map(({ hold }) => hold.name));
    };
    await rig.processor.process(deliveries);
    expect(rig.kinds()).toEqual(['dead']);
    expect(await storedOutcomes([poison])).toEqual([]);
    poisoned.delete(bad);
    const next = new Rig({ database, wrapLending: throwing });
    await next.process([poison]);
    expect(next.endings([poison])).toEqual(['created']);
  });

  it('is left unacknowledged when the worker stops before it is put aside', async () => {
    const { bad } = await titles();
    rig.hooks.dead = () => {
      rig.processor.stop();
      return Promise.reject(new Error('away'));
    };
    await rig.process([borrow(newUser(), bad)]);
    expect(rig.calls).toEqual([]);
    expect(rig.unacknowledged).toHaveLength(1);
  });
});

describe('a message that is no command', () => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase('sqlite');
  });

  it.each(['first', 'last', 'alone'])('is put aside with the reason and acknowledged, when it comes %s', async (place) => {
    const rig = new Rig({ database });
    const { bookInfoId } = await newTitle(rig, 1);
    rig.calls.splice(0);
    const given = borrow(newUser(), bookInfoId);
    const deliveries: Delivery[] = place === 'alone' ? [] : await rig.deliver([given]);
    const partition = deliveries[0]?.hold.name ?? 'lending.commands.00';
    const garbage = await rig.deliverText(partition, '{"not":"ours"}');
    await rig.processor.process(place === 'first' ? [garbage, ...deliveries] : [...deliveries, garbage]);
    expect(rig.of('dead')).toEqual([{ kind: 'dead', partition, content: '{"not":"ours"}', reason: expect.stringMatching(/not a command.*required/) as string }]);
    expect(rig.endings([given])).toEqual([place === 'alone' ? undefined : 'created']);
    if (place !== 'first') expect(rig.unacknowledged).toEqual([]);
  });
});
