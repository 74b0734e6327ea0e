import { COMMANDS_MAX } from '../../shared/messaging/message';

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
export interface Parcel<Item extends { readonly text: string }> extends Address {
  readonly items: Item[];
}

export class Parcels<Item extends { readonly text: string }> {
  private readonly open = new Map<string, { readonly parcel: Parcel<Item>; bytes: number }>();

  /** `send` is called once for each parcel, in the order of the commands for its queue. */
  constructor(private readonly send: (parcel: Parcel<Item>) => void) {}

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
      filling.parcel.items.length < COMMANDS_MAX &&
      filling.bytes + bytes <= BYTES_MAX
    ) {
      filling.parcel.items.push(item);
      filling.bytes += bytes;
      return;
    }
    this.open.set(name, { parcel: { exchange, queue, items: [item] }, bytes });
    if (filling) this.send(filling.parcel);
  }

  private sendAll(): void {
    const parcels = [...this.open.values()];
    this.open.clear();
    for (const { parcel } of parcels) this.send(parcel);
  }
}
