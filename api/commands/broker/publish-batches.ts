import { COMMANDS_MAX } from '../../../shared/messaging/message';

/**
 * Gathers the commands for one queue that come in the same turn of the event loop, so that they
 * travel as one message. Nothing waits for more: a command that is alone goes alone, and the more
 * come at once, the cheaper is each.
 */

/**
 * Most bytes in a message with several commands: the broker has a limit, and a long message holds
 * up those behind it.
 */
const BYTES_MAX = 65_536;

export interface Address {
  readonly exchange: string;
  readonly queue: string;
}

/** What becomes one message. */
export interface PublishBatch<Item extends { readonly text: string }> extends Address {
  readonly items: Item[];
}

export class PublishBatches<Item extends { readonly text: string }> {
  private readonly open = new Map<string, { readonly batch: PublishBatch<Item>; bytes: number }>();

  /** `send` is called once for each batch, in the order of the commands for its queue. */
  constructor(private readonly send: (batch: PublishBatch<Item>) => void) {}

  add({ exchange, queue }: Address, item: Item): void {
    if (this.open.size === 0) {
      setImmediate(() => {
        this.sendAll();
      });
    }
    const name = `${exchange} ${queue}`;
    const bytes = Buffer.byteLength(item.text);
    const filling = this.open.get(name);
    if (
      filling &&
      filling.batch.items.length < COMMANDS_MAX &&
      filling.bytes + bytes <= BYTES_MAX
    ) {
      filling.batch.items.push(item);
      filling.bytes += bytes;
      return;
    }
    this.open.set(name, { batch: { exchange, queue, items: [item] }, bytes });
    if (filling) this.send(filling.batch);
  }

  private sendAll(): void {
    const batches = [...this.open.values()];
    this.open.clear();
    for (const { batch } of batches) this.send(batch);
  }
}
