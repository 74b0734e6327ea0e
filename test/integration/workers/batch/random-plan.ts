import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Envelope, Outcome } from '../../../../shared/command';
import { DeadLetter } from '../../../../shared/database/dead-letter-tables';
import { amount } from '../../../support/run/amount';
import { refused, type Verdict } from '../../../support/models/verdict';
import { Rig, type RigOptions } from './rig';
import { eventTypes, storedEvents } from './rows';

/**
 * Random sequences of batches through the whole pipeline. A reference decides all commands one by
 * one; the pipeline gets them in batches, some of them twice, and must reply, tell and store the
 * same.
 */

const HOUR_MS = 3600 * 1000;
/**
 * How many sequences a test draws for each database. Each is committed in several batches, which
 * cost a server as many flushes of its disk.
 */
export const SEQUENCES = amount(12, 80);
/** How long a test of random sequences may take, milliseconds. */
export const SEQUENCES_MS = 240_000;
/**
 * How they are drawn. They end before Jest ends the test, so that a failure is told with its seed
 * and the shortest sequence found until then.
 */
export const DRAWING = {
  numRuns: SEQUENCES,
  interruptAfterTimeLimit: SEQUENCES_MS - 20_000,
  markInterruptAsFailure: true,
};

/** A place in a batch: a new command, or one that comes again, counted back from the present. */
type Place<Step> = { readonly step: Step } | { readonly again: number };

interface Batch<Step> {
  /** How long after the one before it. */
  readonly hours: number;
  readonly places: readonly Place<Step>[];
  /** 0: the worker dies between COMMIT and the acknowledgement, and the whole batch comes again. */
  readonly crashed: number;
}

export function batchesOf<Step>(step: fc.Arbitrary<Step>): fc.Arbitrary<Batch<Step>[]> {
  const place: fc.Arbitrary<Place<Step>> = fc.oneof(
    { weight: 5, arbitrary: step.map((one) => ({ step: one })) },
    { weight: 1, arbitrary: fc.nat(12).map((again) => ({ again })) },
  );
  const batch = fc.record({
    hours: fc.nat(400),
    places: fc.array(place, { minLength: 1, maxLength: 14, size: 'max' }),
    crashed: fc.nat(5),
  });
  return fc.array(batch, { minLength: 1, maxLength: 8, size: 'max' });
}

/** A reference, and the commands that steps mean as it stands. */
export interface Model<Step, Command, Reference> {
  readonly reference: Reference & { decide(command: Command, now: Date): Verdict };
  readonly commandOf: (step: Step) => Command;
}

interface Planned {
  readonly batches: { readonly now: Date; readonly envelopes: readonly Envelope[] }[];
  /** The final verdict on each command; those that are forwarded get it later. */
  readonly verdicts: Map<string, Verdict>;
}

/** Decides everything in the reference, one by one, and writes down in which batches it came. */
function plan<Step, Command extends Envelope>(
  batches: readonly Batch<Step>[],
  { reference, commandOf }: Model<Step, Command, object>,
): Planned {
  const planned: Planned = { batches: [], verdicts: new Map() };
  const sent: Command[] = [];
  const forwarded: Command[] = [];
  let clock = Date.parse('2024-02-28T12:00:00Z');
  const carryOut = (envelopes: Command[], command: Command, now: Date) => {
    envelopes.push(command);
    if (planned.verdicts.has(command.commandId)) return;
    const verdict = reference.decide(command, now);
    if (verdict.kind === 'forward') forwarded.push({ ...command, key: verdict.key });
    else planned.verdicts.set(command.commandId, verdict);
  };
  const run = (places: readonly Place<Step>[], hours: number, crashed: boolean) => {
    clock += hours * HOUR_MS;
    const now = new Date(clock);
    const envelopes: Command[] = [];
    for (const command of forwarded.splice(0)) carryOut(envelopes, command, now);
    for (const one of places) {
      const command = 'step' in one ? commandOf(one.step) : sent[sent.length - 1 - one.again];
      if (!command) continue;
      if ('step' in one) sent.push(command);
      carryOut(envelopes, command, now);
    }
    if (envelopes.length === 0) return;
    planned.batches.push({ now, envelopes });
    if (!crashed) return;
    // What was forwarded is decided anew.
    const again: Command[] = [];
    for (const command of envelopes) carryOut(again, command, now);
    planned.batches.push({ now, envelopes: again });
  };
  for (const { places, hours, crashed } of batches) run(places, hours, crashed === 0);
  while (forwarded.length > 0) run([], 1, false);
  return planned;
}

function assertReplies(rig: Rig, { verdicts }: Planned): void {
  const replied = rig.replied();
  for (const [commandId, verdict] of verdicts) {
    const ending = replied.get(commandId)?.ending;
    assert(ending, `no reply to ${commandId}`);
    if (ending.status === 'failed') {
      const { code, ids } = ending.refusal;
      assert.deepStrictEqual(refused(code, ids), verdict);
    } else {
      assert.equal(verdict.kind, 'done');
      const { created, result } = verdict;
      assert.deepStrictEqual(
        { created: ending.created, result: JSON.parse(ending.result ?? 'null') as unknown },
        { created, result },
      );
    }
  }
  const contradicting = rig
    .of('reply')
    .flatMap(({ outcomes }) => outcomes)
    .filter((outcome) => textOf(outcome) !== textOf(replied.get(outcome.commandId)));
  assert.deepStrictEqual(contradicting, [], 'a command that came again got another answer');
}

/** An answer, but for what only the worker tells that carried the command out. */
const textOf = (outcome: Outcome | undefined): string =>
  JSON.stringify({ ...outcome, committedAt: undefined });

async function assertEvents({ verdicts }: Planned): Promise<void> {
  const expected = [...verdicts].map(
    ([commandId, verdict]) => [commandId, verdict.kind === 'done' ? verdict.events : []] as const,
  );
  assert.deepStrictEqual([...(await eventTypes([...verdicts.keys()]))], expected);
  // Every aggregate of a run is new.
  const numbers = new Map<string, number>();
  for (const { aggregateId, sequence } of await storedEvents([...verdicts.keys()])) {
    const due = (numbers.get(aggregateId) ?? 0) + 1;
    assert.equal(sequence, due, `${aggregateId} told event ${sequence} where ${due} was due`);
    numbers.set(aggregateId, sequence);
  }
}

export interface RandomRun<Step, Command, Reference, Kind extends string> {
  readonly rig: Omit<RigOptions, 'now'>;
  /** Ids that the reference must know: the first of each kind that the worker will give. */
  readonly kinds: readonly Kind[];
  readonly batches: readonly Batch<Step>[];
  readonly modelFrom: (first: Record<Kind, number>) => Model<Step, Command, Reference>;
}

/**
 * Carries the batches out with a worker of its own, and asserts that replies and events are those
 * of the reference. Resolves to what the reference has come to and to the first ids, from which on
 * the rows are those of this run: a worker never uses what the one before it reserved.
 */
export async function carryOutRandom<
  Step,
  Command extends Envelope,
  Reference extends object,
  Kind extends string,
>(run: RandomRun<Step, Command, Reference, Kind>) {
  let now = new Date();
  const rig = new Rig({ ...run.rig, now: () => now });
  for (const kind of run.kinds) await rig.ids.reserve(kind, 1);
  const first = Object.fromEntries(
    run.kinds.map((kind) => [kind, rig.ids.upcoming(kind, 1)[0]]),
  ) as Record<Kind, number>;
  const model = run.modelFrom({ ...first });
  const planned = plan(run.batches, model);
  await rig.processInTurn(
    planned.batches.map(({ envelopes }) => envelopes),
    (index) => {
      now = planned.batches[index]?.now ?? now;
    },
  );
  await rig.end();
  assertReplies(rig, planned);
  await assertEvents(planned);
  assert.deepStrictEqual(rig.unacknowledged, []);
  assert.equal(await DeadLetter.count(), 0);
  return { reference: model.reference, first };
}
