import { pino } from 'pino';
import { Admission, UNDER_WAY_MAX } from '../../../api/commands/admission';
import { SHARE_MIN, TURN_MS } from '../../../api/commands/shares';
import { UNDER_WAY_MIN } from '../../../api/commands/partition-load';
import type { Envelope, Outcome } from '../../../shared/command';
import { AcceptanceUnknown, NotAccepted } from '../../../shared/messaging/transport';
import { borrow } from '../../support/models/lending/commands';

const QUEUE_BYTES_MAX = 2_000_000;
const template = borrow(1, 1);
let made = 0;
/** A command for a title. */
const commandFor = (title: number): Envelope => ({
  ...template,
  commandId: String((made += 1)),
  key: keyOf(title),
});
const keyOf = (title: number): string => `book-info:${title}`;

/**
 * A transport that stores everything, and whose workers answer when they are told to. Each title is
 * a partition.
 */
function rig() {
  const listeners: ((outcome: Outcome) => void)[] = [];
  const broken: Error[] = [];
  const asked: string[] = [];
  const queued = new Map<string, number>();
  const logged: string[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const admission = new Admission(
    {
      replyTo: 'replies.test',
      send: () => {
        const error = broken.pop();
        return error ? Promise.reject(error) : Promise.resolve();
      },
      partitionFor: ({ key }) => key,
      waiting: (partition) => {
        asked.push(partition);
        return Promise.resolve({ commands: queued.get(partition) ?? 0, oldestAt: null });
      },
      onReply: (listener) => listeners.push(listener),
      ready: () => true,
      fault: () => null,
    },
    logger,
    { queueBytesMax: QUEUE_BYTES_MAX },
  );
  const answer = ({ commandId }: Envelope) => {
    for (const listen of listeners) listen({ commandId } as Outcome);
  };
  /** Sends commands until one is refused, at most `atMost`; returns those that were let in. */
  const fill = async (title: number, atMost = UNDER_WAY_MAX + 1): Promise<Envelope[]> => {
    const taken: Envelope[] = [];
    while (taken.length < atMost) {
      const envelope = commandFor(title);
      try {
        await admission.send(envelope);
      } catch {
        break;
      }
      taken.push(envelope);
    }
    return taken;
  };
  return { admission, answer, fill, broken, asked, queued, logged };
}

const LOOK_MS = 1000;
const LATE_MS = 2000;
const USEFUL_WAIT_S = 5;

const refusalOf = (admission: Admission, title: number): Promise<NotAccepted> =>
  admission.send(commandFor(title)).then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => error as NotAccepted,
  );

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a partition whose commands are not answered', () => {
  it('takes the least number of commands and no more, and other partitions are not touched by that', async () => {
    const { admission, fill } = rig();
    expect((await fill(1)).length).toBe(UNDER_WAY_MIN);
    expect(await refusalOf(admission, 1)).toBeInstanceOf(NotAccepted);
    await admission.send(commandFor(2));
  });

  it('lets far more than a thousand clients wait for the same title', () => {
    expect(UNDER_WAY_MIN).toBeGreaterThan(2 * 1024);
  });

  it('takes one more for each that is answered', async () => {
    const { admission, answer, fill } = rig();
    const taken = await fill(1);
    taken.slice(0, 7).forEach(answer);
    expect((await fill(1)).length).toBe(7);
    expect(await refusalOf(admission, 1)).toBeInstanceOf(NotAccepted);
  });

  it('does not count a command twice that is sent again because it may not be stored, and never refuses it', async () => {
    const { admission, answer, fill, broken } = rig();
    broken.push(new AcceptanceUnknown('no confirm'));
    const unknown = commandFor(1);
    await expect(admission.send(unknown)).rejects.toBeInstanceOf(AcceptanceUnknown);
    expect((await fill(1)).length).toBe(UNDER_WAY_MIN - 1);
    await admission.send(unknown);
    answer(unknown);
    expect((await fill(1)).length).toBe(1);
  });

  it('does not count what the transport did not take', async () => {
    const { admission, fill, broken } = rig();
    for (let time = 0; time < 5; time += 1) broken.push(new NotAccepted('full'));
    for (let time = 0; time < 5; time += 1)
      await expect(admission.send(commandFor(1))).rejects.toThrow('full');
    expect((await fill(1)).length).toBe(UNDER_WAY_MIN);
  });
});

describe('large commands', () => {
  const largeFor = (title: number): Envelope => ({
    ...commandFor(title),
    payload: { ...template.payload, text: 'x'.repeat(300_000) },
  });
  /** Sends large commands for each title until one is refused. */
  async function fillWithLarge(
    { admission }: ReturnType<typeof rig>,
    titles: number,
  ): Promise<Envelope[]> {
    const taken: Envelope[] = [];
    const isTaken = (envelope: Envelope): Promise<boolean> =>
      admission.send(envelope).then(
        () => true,
        () => false,
      );
    for (let title = 1; title <= titles; title += 1) {
      for (let next = largeFor(title); await isTaken(next); next = largeFor(title))
        taken.push(next);
    }
    return taken;
  }

  it('are refused when their partition has its bytes under way, and small ones are not', async () => {
    const made = rig();
    const taken = await fillWithLarge(made, 1);
    expect(taken).toHaveLength(6);
    await made.admission.send(commandFor(1));
    await made.admission.send(largeFor(2));
    expect(() => {
      made.admission.mustHaveRoom(largeFor(1));
    }).toThrow(NotAccepted);
    made.answer(taken[0] as Envelope);
    await made.admission.send(largeFor(1));
  });

  it('are refused when all partitions together have theirs, and small ones are not', async () => {
    const made = rig();
    expect(await fillWithLarge(made, 20)).toHaveLength(53);
    await made.admission.send(commandFor(20));
  });
});

describe('a client with much under way', () => {
  it('waits for its turn while others want something', async () => {
    const { admission, answer } = rig();
    await admission.send(commandFor(1), 'other');
    const commands = Array.from({ length: SHARE_MIN + 1 }, () => commandFor(1));
    const sent: string[] = [];
    for (const command of commands)
      void admission.send(command, 'busy').then(() => sent.push(command.commandId));
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(SHARE_MIN);
    answer(commands[0] as Envelope);
    await jest.advanceTimersByTimeAsync(TURN_MS);
    expect(sent).toEqual(commands.map(({ commandId }) => commandId));
  });
});

describe('a command that comes twice while it waits for its turn', () => {
  it('is counted once', async () => {
    const { admission, answer } = rig();
    await admission.send(commandFor(1), 'other');
    const commands = Array.from({ length: SHARE_MIN }, () => commandFor(1));
    for (const command of commands) await admission.send(command, 'busy');
    const twice = commandFor(1);
    const both = [admission.send(twice, 'busy'), admission.send(twice, 'busy')];
    commands.slice(0, 2).forEach(answer);
    await jest.advanceTimersByTimeAsync(TURN_MS);
    await Promise.all(both);
    answer(twice);
    commands.slice(2).forEach(answer);
    // All places are free again.
    const sent: Envelope[] = [];
    for (const next of Array.from({ length: SHARE_MIN + 1 }, () => commandFor(1)))
      void admission.send(next, 'busy').then(() => sent.push(next));
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(SHARE_MIN);
  });
});

describe('a process', () => {
  it('has a bound for all partitions together, and is not ready when it is reached', async () => {
    const { admission, answer, fill } = rig();
    const taken: Envelope[] = [];
    for (let title = 1; taken.length < UNDER_WAY_MAX; title += 1)
      taken.push(...(await fill(title)));
    expect(taken).toHaveLength(UNDER_WAY_MAX);
    expect(await refusalOf(admission, 1000)).toBeInstanceOf(NotAccepted);
    expect(admission.ready()).toBe(false);
    answer(taken[0] as Envelope);
    expect(admission.ready()).toBe(true);
    await admission.send(commandFor(1000));
  });
});

describe('a partition that is drained fast', () => {
  /** Keeps a partition full while so many of its commands end each second. */
  async function drain(perSecond: number, seconds: number) {
    const { fill, answer, ...rest } = rig();
    let underWay = await fill(1);
    for (let second = 0; second < seconds; second += 1) {
      underWay.splice(0, perSecond).forEach(answer);
      await jest.advanceTimersByTimeAsync(LOOK_MS);
      underWay = [...underWay, ...(await fill(1))];
    }
    return { ...rest, fill, answer, underWay };
  }

  it('takes as many as end within the time that is useful to wait', async () => {
    const { underWay } = await drain(1500, 20);
    expect(underWay.length).toBeGreaterThan(0.95 * 1500 * USEFUL_WAIT_S);
    expect(underWay.length).toBeLessThanOrEqual(1500 * USEFUL_WAIT_S);
  });

  it('takes no more for a while when it is drained more slowly', async () => {
    const { underWay, answer, fill } = await drain(1500, 20);
    for (let second = 0; second < 10; second += 1) {
      underWay.splice(0, 100).forEach(answer);
      await jest.advanceTimersByTimeAsync(LOOK_MS);
    }
    expect(underWay.length).toBeGreaterThan(UNDER_WAY_MIN);
    expect((await fill(1)).length).toBe(0);
  });

  it('says when to come back: after about the time in which half of them end, and not all at once', async () => {
    const { admission } = await drain(1500, 20);
    const seconds = await Promise.all(
      Array.from({ length: 200 }, async () => (await refusalOf(admission, 1)).retryAfterS ?? 0),
    );
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(4);
    expect(new Set(seconds).size).toBeGreaterThan(1);
  });
});

describe('replies that were lost', () => {
  it('are made up for by that of a later command of the partition', async () => {
    const { answer, fill } = rig();
    const taken = await fill(1);
    answer(taken[9] as Envelope);
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    expect((await fill(1)).length).toBe(10);
  });

  it('are made up for by asking the queue, when none has come for a while', async () => {
    const { fill, asked, queued } = rig();
    queued.set(keyOf(1), 1);
    await fill(1);
    await jest.advanceTimersByTimeAsync(LATE_MS);
    expect(asked).toEqual([]);
    await jest.advanceTimersByTimeAsync(5 * LOOK_MS);
    expect(new Set(asked)).toEqual(new Set([keyOf(1)]));
    expect((await fill(1)).length).toBe(0);
    queued.set(keyOf(1), 0);
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    expect((await fill(1)).length).toBe(UNDER_WAY_MIN);
  });

  it('are corrected when the queue is drained: where no reply arrives at all, commands are still accepted', async () => {
    const { fill } = rig();
    let taken = 0;
    for (let second = 0; second < 20; second += 1) {
      taken += (await fill(1, 2000)).length;
      await jest.advanceTimersByTimeAsync(LOOK_MS);
    }
    expect(taken).toBeGreaterThan(20 * 1000);
  });
});

it('an overload is logged when it begins and when it ends, and not for each command', async () => {
  const { admission, answer, fill, logged } = rig();
  const taken = await fill(1);
  await refusalOf(admission, 1);
  await jest.advanceTimersByTimeAsync(LOOK_MS);
  await refusalOf(admission, 1);
  expect(logged).toEqual(['commands are refused: too many are under way']);
  taken.forEach(answer);
  await jest.advanceTimersByTimeAsync(3 * LOOK_MS);
  expect(logged).toEqual([
    'commands are refused: too many are under way',
    'commands are accepted again',
  ]);
});
