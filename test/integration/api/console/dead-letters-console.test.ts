import { pino } from 'pino';
import type { Sequelize } from 'sequelize-typescript';
import { deadLetterEndpoints } from '../../../../api/console/dead-letter-routes';
import type { Answer, Input, ReadEndpoint } from '../../../../api/http/endpoint';
import { Audit } from '../../../../shared/audit/tables';
import { services } from '../../../../shared/services';
import type { Envelope } from '../../../../shared/command';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { OutgoingCommand } from '../../../../shared/database/tables';
import { encodeEnvelope } from '../../../../shared/messaging/envelope';
import { borrow } from '../../../support/models/lending/commands';
import { outgoing } from '../../workers/batch/dead-letters';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** Letters among which some are no commands, as the console replays them, without a worker. */

const NONSENSE = '{"no":"command"}';

describe.each(DIALECTS)('the console on %s', (dialect) => {
  let database: Sequelize;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });
  beforeEach(async () => {
    lines.splice(0);
    await DeadLetter.destroy({ where: {} });
    await OutgoingCommand.destroy({ where: {} });
  });

  const call = async (id: string, letterId: number): Promise<Answer> => {
    const logger = pino(
      { level: 'fatal' },
      { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    const endpoint = deadLetterEndpoints({
      services,
      database,
      now: () => new Date(),
      logger,
    }).find(({ doc }) => doc.id === id) as ReadEndpoint;
    return endpoint.handle({
      params: { letterId },
      actor: { userId: 7, username: 'ada' },
      address: '192.0.2.1',
      requestId: 'request-1',
    } as unknown as Input<never, never>);
  };

  /** Letters of one aggregate, in this order. */
  async function put(contents: readonly string[]): Promise<number[]> {
    const numbers: number[] = [];
    for (const [index, content] of contents.entries()) {
      const letter = {
        commandId: `letter-${index}`,
        type: null,
        aggregateKey: 'book-info:1',
        partitionName: 'lending.commands.00',
        content,
        reason: 'a fault',
        deadAt: new Date(),
      };
      numbers.push((await DeadLetter.create(letter)).seq);
    }
    return numbers;
  }

  const command = (): Envelope => borrow(7, 1);

  it('replays an aggregate up to the first letter that is no command, whichever of its letters is named', async () => {
    const [first, last] = [command(), command()];
    const numbers = await put([encodeEnvelope(first), NONSENSE, encodeEnvelope(last)]);
    expect(await call('replayDeadLetters', numbers[2]!)).toMatchObject({
      status: 202,
      body: { aggregate: 'book-info:1', letters: [numbers[0]] },
    });
    expect((await outgoing()).map(({ commandId }) => commandId)).toEqual([first.commandId]);
    expect(
      (await DeadLetter.findAll({ order: ['seq'] })).map(({ released }) => Boolean(released)),
    ).toEqual([true, false, false]);
  });

  it('refuses to replay one whose first letter is no command, and discards it', async () => {
    const numbers = await put([NONSENSE, encodeEnvelope(command())]);
    await expect(call('replayDeadLetters', numbers[1]!)).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNREADABLE',
    });
    expect(await outgoing()).toEqual([]);
    expect(await call('discardDeadLetter', numbers[0]!)).toEqual({ status: 204 });
    expect(await call('replayDeadLetters', numbers[1]!)).toMatchObject({ status: 202 });
  });

  it('discards none that is being replayed', async () => {
    const [number] = await put([encodeEnvelope(command())]);
    await call('replayDeadLetters', number!);
    await expect(call('discardDeadLetter', number!)).rejects.toMatchObject({
      code: 'DEAD_LETTER_RELEASED',
    });
    expect(await DeadLetter.count()).toBe(1);
  });

  it('tells the audit who replayed and who discarded what, and the log at every level', async () => {
    await Audit.destroy({ where: {} });
    const [replayed] = await put([encodeEnvelope(command())]);
    const other = {
      type: null,
      aggregateKey: null,
      partitionName: 'lending.commands.00',
      content: NONSENSE,
    };
    const { seq: discarded } = await DeadLetter.create({
      ...other,
      commandId: 'other',
      reason: 'a fault',
      deadAt: new Date(),
    });
    await call('replayDeadLetters', replayed!);
    await call('discardDeadLetter', discarded);
    const from = { address: '192.0.2.1', requestId: 'request-1' };
    const replay = { action: 'console.replay-dead-letters', target: 'book-info:1', ...from };
    const discard = { action: 'console.discard-dead-letter', target: null, ...from };
    expect(lines).toMatchObject([
      { audit: true, userId: 7, letters: [replayed], ...replay },
      { audit: true, userId: 7, letters: [discarded], commandIds: ['other'], ...discard },
    ]);
    const entries = await Audit.findAll({ order: ['id'], raw: true });
    expect(entries).toMatchObject([
      { actorId: 7, actorName: 'ada', ...replay },
      { actorId: 7, actorName: 'ada', ...discard },
    ]);
  });
});
