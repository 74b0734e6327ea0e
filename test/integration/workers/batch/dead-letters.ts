import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { OutgoingCommand } from '../../../../shared/database/tables';
import type { Envelope } from '../../../../shared/command';
import { services } from '../../../../shared/services';
import type { WorkerService } from '../../../../workers/batch/service/decision';

/** Dead letters, and a service that makes some. */

/** What a decision does at a title. */
export type Fault = 'throws' | 'dies' | 'throws on borrows';

/**
 * The lending service, but for the titles named: there a decision throws, perhaps only on borrows,
 * or calls `die` and throws.
 */
export function faulty(
  faults: ReadonlyMap<number, Fault>,
  die: () => void = () => undefined,
): (service: WorkerService) => WorkerService {
  return (service) => ({
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
              const fault = faults.get((command.payload as { bookInfoId: number }).bookInfoId);
              if (fault === 'dies') die();
              if (
                fault &&
                (fault !== 'throws on borrows' || command.type === 'lending.borrow-book')
              )
                throw new TypeError('stock is undefined');
              return work.decide(command, context);
            },
          };
        },
      };
    },
  });
}

/** All dead letters of an aggregate, or of all, in order. */
export const deadLettersOf = async (key?: string): Promise<DeadLetter[]> =>
  Array.from(
    await DeadLetter.findAll({
      where: key === undefined ? {} : { aggregateKey: key },
      order: ['seq'],
    }),
  );
export const deadLetterIds = async (key?: string): Promise<string[]> =>
  (await deadLettersOf(key)).map(({ commandId }) => commandId);

/**
 * Does to dead letters what an operator's replay does, and returns the commands as they come out of
 * their queues.
 */
export async function release(letters: readonly DeadLetter[]): Promise<Envelope[]> {
  await DeadLetter.update({ released: true }, { where: { seq: letters.map(({ seq }) => seq) } });
  return letters.map(({ content }) => envelopeIn(content));
}

function envelopeIn(content: string): Envelope {
  const message = services.decode(content);
  if (!('envelope' in message)) throw new Error(message.malformed);
  return message.envelope;
}

export const outgoing = async (): Promise<Envelope[]> =>
  (await OutgoingCommand.findAll({ order: ['seq'], raw: true })).map(({ envelope }) =>
    envelopeIn(envelope),
  );
