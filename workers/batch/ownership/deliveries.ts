import type { Envelope } from '../../../shared/command';
import type { Delivery } from '../../../shared/messaging/transport';
import type { HeldEpoch } from './fence';

/** Deliveries as a batch looks at them. */

/** A delivery whose message is a command. */
export type CommandDelivery = Delivery & { readonly message: { readonly envelope: Envelope } };

const isCommand = (delivery: Delivery): delivery is CommandDelivery =>
  'envelope' in delivery.message;
/** Whether this worker may carry a delivery out, or anything that stands before it. */
export const isHeld = ({ ownership, place }: Delivery): boolean =>
  !ownership.lost && (ownership.waitsFrom === null || place < ownership.waitsFrom);

/** Whether all are commands, of partitions that were taken over and are held. */
export function areHeldCommands(
  deliveries: readonly Delivery[],
): deliveries is readonly CommandDelivery[] {
  return deliveries.every(
    (delivery) => isCommand(delivery) && isHeld(delivery) && delivery.ownership.epoch !== null,
  );
}

/**
 * The commands of the deliveries by id, for log lines: whoever looks for one finds each line that
 * concerns it.
 */
export function commandIdsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.flatMap(
    ({ message }) => ('envelope' in message ? message.envelope : message.header)?.commandId ?? [],
  );
}

/** Each partition of the deliveries, with the epoch under which it is held. */
export function epochsOf(deliveries: readonly Delivery[]): HeldEpoch[] {
  const epochs = new Map(deliveries.map(({ ownership }) => [ownership.name, ownership.epoch]));
  return [...epochs].map(([name, epoch]) => {
    if (epoch === null) throw new Error(`partition ${name} was not taken over`);
    return { name, epoch };
  });
}

/**
 * Takes each partition's part of the deliveries off its queue; the last one stands for all before
 * it.
 */
export function acknowledge(deliveries: readonly Delivery[]): void {
  const last = new Map(deliveries.filter(isHeld).map((delivery) => [delivery.ownership, delivery]));
  for (const [ownership, delivery] of last) ownership.ack(delivery);
}

/**
 * The deliveries in runs, in order: commands that stand together, and each message that is none by
 * itself.
 */
export function runsOf(deliveries: readonly Delivery[]): (readonly CommandDelivery[] | Delivery)[] {
  const runs: (CommandDelivery[] | Delivery)[] = [];
  for (const delivery of deliveries) {
    const last = runs.at(-1);
    if (!isCommand(delivery)) runs.push(delivery);
    else if (Array.isArray(last)) last.push(delivery);
    else runs.push([delivery]);
  }
  return runs;
}
