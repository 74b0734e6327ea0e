import type { Services } from '../service';
import { ReceivedCommand } from './message';
import type { Delivery, PartitionOwnership, QueueState } from './transport';

/** Pause before a released partition is delivered again, milliseconds. */
const REDELIVERY_PAUSE_MS = 1000;

/** Gets deliveries in order. */
export type Consumer = (delivery: Delivery) => void;

/** A command in the log. */
export interface Stored {
  readonly seq: number;
  readonly body: Buffer;
  redeliveries: number;
}

interface Partition {
  ownership: PartitionOwnership;
  /** Stored and not acknowledged, in order. */
  readonly outstanding: Stored[];
  paused: boolean;
}

/**
 * The partitions of the embedded command log: commands that are stored and not acknowledged, in
 * order. A partition that its worker releases is delivered again after a pause.
 */
export class EmbeddedPartitions {
  private readonly partitions = new Map<string, Partition>();

  /** `finished` is called with the acknowledged rows. */
  constructor(
    private readonly decode: Services['decode'],
    private readonly consume: Consumer,
    private readonly finished: (seqs: readonly number[]) => void,
  ) {}

  /** Returns how many commands wait in a partition. */
  state(partition: string): QueueState {
    const { outstanding = [] } = this.partitions.get(partition) ?? {};
    const [first] = outstanding;
    const message = first && new ReceivedCommand(first.body, this.decode).message;
    return {
      commands: outstanding.length,
      oldestAt: message && 'envelope' in message ? message.envelope.createdAt : null,
    };
  }

  /** Delivers a stored command, behind the others of its partition. */
  deliver(name: string, stored: Stored): void {
    const partition = this.partitions.get(name) ?? {
      ownership: this.newOwnership(name),
      outstanding: [],
      paused: false,
    };
    this.partitions.set(name, partition);
    partition.outstanding.push(stored);
    if (!partition.paused) this.offer(partition.ownership, stored);
  }

  private offer(ownership: PartitionOwnership, { seq, body, redeliveries }: Stored): void {
    this.consume(
      Object.assign(new ReceivedCommand(body, this.decode), {
        ownership,
        place: seq,
        redeliveries,
        takenAt: performance.now(),
      }),
    );
  }

  private newOwnership(name: string): PartitionOwnership {
    return {
      name,
      epoch: null,
      lost: false,
      waitsFrom: null,
      ack: ({ place }) => {
        this.acknowledge(name, place);
      },
      release: () => {
        this.redeliver(name);
      },
    };
  }

  private acknowledge(name: string, upTo: number): void {
    const outstanding = this.partitions.get(name)?.outstanding ?? [];
    const later = outstanding.findIndex(({ seq }) => seq > upTo);
    const done = outstanding.splice(0, later === -1 ? outstanding.length : later);
    this.finished(done.map(({ seq }) => seq));
  }

  private redeliver(name: string): void {
    const partition = this.partitions.get(name);
    if (!partition || partition.paused) return;
    partition.ownership.lost = true;
    partition.paused = true;
    partition.ownership = this.newOwnership(name);
    setTimeout(() => {
      partition.paused = false;
      for (const stored of partition.outstanding) {
        stored.redeliveries += 1;
        this.offer(partition.ownership, stored);
      }
    }, REDELIVERY_PAUSE_MS);
  }
}
