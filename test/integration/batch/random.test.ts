import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Sequelize } from 'sequelize-typescript';
import type { Envelope } from '../../../shared/command';
import type { LendingCommand } from '../../../shared/lending/commands';
import { Reference, type Verdict } from '../../unit/lending/reference';
import { commandOf, lendingStep, type Step, type World } from '../../unit/lending/steps';
import { DIALECTS, emptyDatabase, Rig, type Dialect } from './rig';
import { borrowRows, copyRows, eventTypes, holdRows, titleRows } from './rows';

/** Sequences a dialect; each is committed in several batches, which on a server costs as many disk flushes. */
const SEQUENCES: Record<Dialect, number> = { sqlite: 80, mysql: 80 };
const HOUR_MS = 3600 * 1000;
const ID_KINDS = ['author', 'book-info', 'book', 'borrow', 'hold'] as const;

/** A place in a batch: a new command, or one that comes again, counted back from the present. */
type Place = { readonly step: Step } | { readonly again: number };

const place: fc.Arbitrary<Place> = fc.oneof({ weight: 5, arbitrary: lendingStep.map((step) => ({ step })) }, { weight: 1, arbitrary: fc.nat(12).map((again) => ({ again })) });
const batch = fc.record({ hours: fc.nat(400), places: fc.array(place, { minLength: 1, maxLength: 14, size: 'max' }), crashed: fc.nat(5) });
const sequence = fc.record({ maxOpenBorrows: fc.constantFrom(0, 1, 2), batches: fc.array(batch, { minLength: 1, maxLength: 8, size: 'max' }) });
type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never;

let worlds = 0;
function newWorld(): World {
  const number = (worlds += 1);
  const digits = String(number).padStart(11, '0');
  const users = [1, 2, 3, 4].map((user) => number * 10 + user);
  return { users, isbns: [0, 1, 2].map((index) => `${index}0${digits}`), authors: [`Ann ${number}`, `Bo ${number}`], image: `https://img.test/${number}.png` };
}

interface Planned {
  readonly batches: { readonly now: Date; readonly envelopes: Envelope[] }[];
  readonly reference: Reference;
  /** The final verdict on each command; those that are forwarded get it later. */
  readonly verdicts: Map<string, Verdict>;
}

/** Decides everything in the reference, one by one, and writes down in which batches it came. */
function plan(batches: Sequence['batches'], world: World, reference: Reference): Planned {
  const planned: Planned = { batches: [], reference, verdicts: new Map() };
  const sent: LendingCommand[] = [];
  const forwarded: LendingCommand[] = [];
  let clock = Date.parse('2024-02-28T12:00:00Z');
  const carryOut = (envelopes: LendingCommand[], command: LendingCommand, now: Date) => {
    envelopes.push(command);
    if (planned.verdicts.has(command.commandId)) return;
    const verdict = reference.decide(command, now);
    if (verdict.kind === 'forward') forwarded.push({ ...command, key: verdict.key });
    else planned.verdicts.set(command.commandId, verdict);
  };
  const run = (places: readonly Place[], hours: number, crashed: boolean) => {
    clock += hours * HOUR_MS;
    const now = new Date(clock);
    const envelopes: LendingCommand[] = [];
    for (const command of forwarded.splice(0)) carryOut(envelopes, command, now);
    for (const one of places) {
      const command = 'step' in one ? commandOf(one.step, world, reference) : sent[sent.length - 1 - one.again];
      if (!command) continue;
      if ('step' in one) sent.push(command);
      carryOut(envelopes, command, now);
    }
    if (envelopes.length === 0) return;
    planned.batches.push({ now, envelopes });
    if (!crashed) return;
    // Between COMMIT and the acknowledgement: the whole batch comes again. What was forwarded is decided anew.
    const again: LendingCommand[] = [];
    for (const command of envelopes) carryOut(again, command, now);
    planned.batches.push({ now, envelopes: again });
  };
  for (const { places, hours, crashed } of batches) run(places, hours, crashed === 0);
  while (forwarded.length > 0) run([], 1, false);
  return planned;
}

/** A rig's worker that starts from here. Ids that the one before it reserved and did not use are never used. */
async function startWorker(database: Sequelize, maxOpenBorrows: number, now: () => Date) {
  const rig = new Rig({ database, rules: { maxOpenBorrows }, now });
  for (const kind of ID_KINDS) await rig.ids.reserve(kind, 1);
  const next = (kind: (typeof ID_KINDS)[number]) => rig.ids.upcoming(kind, 1)[0] as number;
  return { rig, next: { author: next('author'), 'book-info': next('book-info'), book: next('book'), borrow: next('borrow'), hold: next('hold') } };
}

const usernameOf = (userId: number) => `user-${userId}`;
const millis = (instant: Date | null) => (instant === null ? null : instant.getTime());

async function assertRows(reference: Reference, first: { 'book-info': number; book: number; borrow: number; hold: number }): Promise<void> {
  const titles = reference.titles.map(({ id, title, authorId, isbn, bookImg, borrowCount, version, createdAt, modifiedAt, deletedAt }) => ({
    ...{ id, title, authorId, isbn, bookImg, borrowCount, version, ...reference.stock(id) },
    ...{ createdAt: millis(createdAt), modifiedAt: millis(modifiedAt), deletedAt: millis(deletedAt) },
  }));
  const copies = reference.copies.map((copy) => ({ ...copy, available: copy.status === 'AVAILABLE' && copy.deletedAt === null, deletedAt: millis(copy.deletedAt) }));
  const borrows = reference.borrows.map((borrow) => ({ ...borrow, borrowedAt: millis(borrow.borrowedAt), dueAt: millis(borrow.dueAt), returnedAt: millis(borrow.returnedAt) }));
  assert.deepStrictEqual(await titleRows(first['book-info']), titles);
  assert.deepStrictEqual(await copyRows(first.book), copies);
  assert.deepStrictEqual(await borrowRows(first.borrow), borrows);
  const holds = reference.holds.map((hold) => ({ ...hold, placedAt: millis(hold.placedAt), readyAt: millis(hold.readyAt), expiresAt: millis(hold.expiresAt), closedAt: millis(hold.closedAt) }));
  assert.deepStrictEqual(await holdRows(first.hold), holds);
}

function assertReplies(rig: Rig, { verdicts }: Planned): void {
  const replied = rig.replied();
  for (const [commandId, verdict] of verdicts) {
    const ending = replied.get(commandId)?.ending;
    assert(ending, `no reply to ${commandId}`);
    if (ending.status === 'failed') {
      const { code, ids } = ending.refusal;
      assert.deepStrictEqual({ kind: 'refused', code, ...(ids && { ids }) }, verdict);
    } else {
      assert.equal(verdict.kind, 'done');
      const { created, result } = verdict;
      assert.deepStrictEqual({ created: ending.created, result: JSON.parse(ending.result ?? 'null') as unknown }, { created, result });
    }
  }
  const contradicting = rig.of('reply').flatMap(({ outcomes }) => outcomes).filter((outcome) => JSON.stringify(outcome) !== JSON.stringify(replied.get(outcome.commandId)));
  assert.deepStrictEqual(contradicting, [], 'a command that came again got another answer');
}

async function assertEvents({ verdicts }: Planned): Promise<void> {
  const expected = [...verdicts].map(([commandId, verdict]) => [commandId, verdict.kind === 'done' ? verdict.events : []] as const);
  assert.deepStrictEqual([...(await eventTypes([...verdicts.keys()]))], expected);
}

describe.each(DIALECTS)('random batches on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  it(`come to the same as the commands one by one, whatever comes twice (${SEQUENCES[dialect]} sequences)`, async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (given) => {
        let now = new Date();
        const { rig, next } = await startWorker(database, given.maxOpenBorrows, () => now);
        const first = { ...next };
        const planned = plan(given.batches, newWorld(), new Reference({ loanDays: 14, maxOpenBorrows: given.maxOpenBorrows, holdPickupDays: 3 }, usernameOf, next));
        for (const part of planned.batches) {
          now = part.now;
          await rig.process(part.envelopes);
        }
        assertReplies(rig, planned);
        await assertEvents(planned);
        await assertRows(planned.reference, first);
        assert.deepStrictEqual(rig.unacknowledged, []);
      }),
      { numRuns: SEQUENCES[dialect] },
    );
  }, 240_000);
});
