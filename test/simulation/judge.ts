import type { Envelope, Outcome } from '../../shared/command';
import { endingOf } from '../../shared/database/ending';
import type { Row } from './database/sql';
import type { Transaction } from './database/transaction';
import type { SimulatedProcess } from './process';

/**
 * Looks on and says what must not happen, in the moment in which it happens. It sees what the
 * servers do, at the moment they do it, and what workers publish; it never asks the code under
 * test. What can only be seen at the end is in `final-check.ts`.
 */

/** A statement about the epochs under which a batch is carried out. */
const FENCE = /FROM partition_owner WHERE \(|UPDATE partition_owner SET batches/;

interface QueuedMessage {
  /** The commands that it carries. */
  readonly envelopes: readonly Envelope[];
}

interface Ended {
  readonly ending: string;
  /** Place among all commits and bumps. */
  readonly order: number;
}

export class Judge {
  /**
   * Where each command stands in its queue, by its id and the key under which it is there: the
   * place of its first copy.
   */
  private readonly places = new Map<string, Map<string, number>>();
  /** Commands that each queue has stored. */
  private readonly lengths = new Map<string, number>();
  private readonly ended = new Map<string, Ended>();
  private readonly owners = new Map<string, { readonly owner: string; readonly epoch: number }>();
  private readonly chains = new Map<string, { version: number; place: number }>();
  private readonly affected = new Set<string>();
  /** Commands that wait in a table for being forwarded, or did. */
  private readonly kept = new Set<string>();
  private readonly givenUpByBroker = new Set<string>();
  private readonly bumps = new Map<string, number>();
  private order = 0;

  constructor(private readonly fail: (reason: string) => void) {}

  /** A queue has stored a message. */
  stored(queue: string, { envelopes }: QueuedMessage): void {
    for (const envelope of envelopes) this.storedCommand(queue, envelope);
  }

  private storedCommand(queue: string, { commandId, key }: Envelope): void {
    if (queue.endsWith('.dead')) {
      this.givenUpByBroker.add(commandId);
      return;
    }
    const length = this.lengths.get(queue) ?? 0;
    this.lengths.set(queue, length + 1);
    const places = this.places.get(commandId) ?? new Map<string, number>();
    this.places.set(commandId, places);
    if (!places.has(key)) places.set(key, length);
  }

  /** A transaction is about to be committed. */
  committing(transaction: Transaction): void {
    const effects = transaction.rowsOf('effect');
    const outcomes = transaction.rowsOf('command_outcome');
    const byBroker = outcomes.every(({ command_id: id }) => this.givenUpByBroker.has(id as string));
    if (effects.length > 0 || !byBroker) this.mustBeFenced(transaction);
    for (const row of transaction.rowsOf('partition_owner')) this.owner(row);
    this.order += 1;
    for (const row of effects) this.effect(row);
    for (const row of outcomes) this.outcome(row);
    for (const { envelope } of transaction.rowsOf('outgoing_command'))
      this.kept.add((JSON.parse(envelope as string) as Envelope).commandId);
  }

  /** The broker has taken a message off a queue, because a worker acknowledged it. */
  acknowledged(queue: string, { envelopes }: QueuedMessage): void {
    if (queue.endsWith('.dead')) return;
    for (const envelope of envelopes) this.acknowledgedCommand(envelope);
  }

  private acknowledgedCommand(envelope: Envelope): void {
    const { commandId } = envelope;
    // A client sends a command under one key only, so one that is there under two was forwarded.
    const forwarded = (this.places.get(commandId)?.size ?? 0) > 1;
    if (!this.ended.has(commandId) && !forwarded && !this.kept.has(commandId))
      this.fail(`${nameOf(envelope)} was acknowledged before its outcome was committed`);
  }

  /** A worker publishes a message. */
  publishing(process: SimulatedProcess, queue: string, content: string): void {
    // A process that is ended in the middle of a step sends nothing any more.
    if (!process.alive) return;
    if (!queue.startsWith('replies.')) return;
    for (const { commandId, ending, stale = [] } of JSON.parse(content) as Outcome[]) {
      const ended = this.ended.get(commandId);
      const subjects = [...(this.places.get(commandId)?.keys() ?? [])];
      if (ended?.ending !== JSON.stringify(ending))
        this.fail(
          `${process.name} replied ${JSON.stringify(ending)} for ${commandId}, whose outcome is ${ended?.ending ?? 'not committed'}`,
        );
      // Else it is left to whoever gets the reply.
      const told = subjects.some(
        (subject) =>
          stale.includes(subject) || (this.bumps.get(subject) ?? 0) > (ended?.order ?? 0),
      );
      if (ending.status === 'succeeded' && !told)
        this.fail(`${process.name} replied to ${commandId} before the cache was told`);
    }
  }

  /** The cache has given these subjects new versions. */
  bumped(subjects: readonly string[]): void {
    this.order += 1;
    for (const subject of subjects) this.bumps.set(subject, this.order);
  }

  /** The place of a command's first copy in the queue of its key; null when it never got there. */
  placeOf({ commandId, key }: Pick<Envelope, 'commandId' | 'key'>): number | null {
    return this.places.get(commandId)?.get(key) ?? null;
  }

  private mustBeFenced({ ran }: Transaction): void {
    const fences = ran.filter(({ statement }) => FENCE.test(statement.text));
    if (fences.length === 0) this.fail('effects or outcomes were committed without a fence');
    for (const { values } of fences) {
      for (let index = 0; index < values.length; index += 2) {
        const [name, epoch] = [values[index] as string, values[index + 1] as number];
        const present = this.owners.get(name)?.epoch;
        if (present !== epoch)
          this.fail(
            `a batch of epoch ${epoch} of ${name} was committed, which is at ${present ?? 'no epoch'}`,
          );
      }
    }
  }

  private owner({ partition_name: id, owner, epoch }: Row): void {
    const name = id as string;
    const before = this.owners.get(name);
    if (before && before.owner !== owner && before.epoch >= (epoch as number))
      this.fail(`${owner as string} took ${name} over and left its epoch at ${epoch as number}`);
    this.owners.set(name, { owner: owner as string, epoch: epoch as number });
  }

  private effect({ stock_id: stock, version, command_id: id }: Row): void {
    const commandId = id as string;
    if (this.affected.has(commandId)) this.fail(`${commandId} had a second effect`);
    this.affected.add(commandId);
    const last = this.chains.get(stock as string) ?? { version: 0, place: -1 };
    const place = this.places.get(commandId)?.get(stock as string) ?? -1;
    if (version !== last.version + 1)
      this.fail(
        `version ${version as number} of ${stock as string} came after version ${last.version}`,
      );
    if (place <= last.place)
      this.fail(
        `${commandId} took effect on ${stock as string} after a command that stood behind it in the queue`,
      );
    this.chains.set(stock as string, { version: version as number, place });
  }

  private outcome({ command_id: id, ending }: Row): void {
    const commandId = id as string;
    const before = this.ended.get(commandId)?.ending;
    const now = JSON.stringify(endingOf(ending as string));
    if (before !== undefined && before !== now)
      this.fail(`the outcome of ${commandId} changed from ${before} to ${now}`);
    this.ended.set(commandId, { ending: now, order: this.order });
  }
}

const nameOf = ({ type, commandId }: Envelope): string => `${type} ${commandId}`;
