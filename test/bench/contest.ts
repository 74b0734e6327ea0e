import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import {
  borrowsAfter,
  faultsOf,
  HOT_TITLE,
  lastBorrow,
  readerTokens,
  returnAll,
  SCARCE_COPIES,
  settled,
} from './library';
import { putOpenLoad, type OpenServed } from './open-load';
import { ratioOf, round, type Measured, type Ratio } from './rounds';
import { sendAll } from './send';
import type { LendlineSubject, Subject } from './subjects';
import { per, shown, shownOverload, type Line } from './tables';
import {
  borrowAndReturn,
  byPopularity,
  hotBook,
  oneDetail,
  promisedOfHotBook,
  reads,
  scarceBook,
  type Work,
} from './work';

/** Subjects under the same loads in turn, several times; what they come to is kept. */

/** Length of a round, and of the one before them that is not counted, seconds. */
const ROUND_S = 4;
const WARM_S = 8;
const WARM_CLIENTS = 64;
/**
 * Commands that wait in a queue when a worker is measured alone: as many as are always let in. And
 * the clients that put them there.
 */
export const QUEUED = 3000;
const QUEUING_CLIENTS = 64;
/**
 * That takes half a second, in which a noisy machine shows: so often is it measured for each round
 * of other work.
 */
const DRAINS_PER_ROUND = 3;
/** How often it is looked how many of them are done, milliseconds. */
const LOOK_MS = 20;
/**
 * Load that comes whether answers come or not: beside what the service takes from 128 clients, and
 * for how long, seconds.
 */
export const OVERLOAD = 2;
const OVERLOAD_S = 10;

const WORKS = {
  'one hot book': hotBook,
  'by popularity': byPopularity,
  'borrow and return': borrowAndReturn,
  reads,
  'reads of one detail': oneDetail,
} as const satisfies Record<string, Work>;
export type WorkName = keyof typeof WORKS;

export interface Cell {
  readonly work: WorkName;
  readonly clients: number;
}

export class Contest {
  readonly measured: Measured[] = [];
  readonly lines: Line[] = [];
  /** Under more load than can be borne, in the order of the rounds. */
  readonly overloaded: OpenServed[] = [];
  private readonly tokens: readonly string[];

  constructor(
    secret: string,
    private readonly rounds: number,
  ) {
    this.tokens = readerTokens(secret);
  }

  /**
   * All subjects in turn, cell after cell, and that several times. `takesPart` may leave a subject
   * out of a cell.
   */
  async compare(
    subjects: readonly Subject[],
    cells: readonly Cell[],
    takesPart: (subject: string, cell: Cell) => boolean = () => true,
  ): Promise<void> {
    for (const subject of subjects) {
      await assertNoOversell(subject, this.tokens);
      if (subject.keepsKeys) await assertOneEffect(subject, this.tokens.at(-1) ?? '');
    }
    for (const subject of subjects)
      await round(subject, { clients: WARM_CLIENTS, seconds: WARM_S }, hotBook, this.tokens);
    for (let turn = 0; turn < this.rounds; turn += 1) {
      for (const { work, clients } of cells) {
        for (const subject of subjects) {
          // The one that keeps nothing has nothing to return.
          if (!subject.database && work === 'borrow and return') continue;
          if (!takesPart(subject.name, { work, clients })) continue;
          const found =
            this.find(subject.name, work, clients) ??
            this.add({ subject: subject.name, work, clients, rounds: [] });
          found.rounds.push(
            await round(subject, { clients, seconds: ROUND_S }, WORKS[work], this.tokens),
          );
          process.stderr.write(`${shown(found)}\n`);
        }
      }
    }
  }

  /**
   * What a worker alone carries out a second of the commands for a hot book that came while it was
   * frozen, beside what the best of the rivals does of them; in turn.
   */
  async drain(ours: LendlineSubject, rivals: readonly Subject[], clients: number): Promise<Ratio> {
    const drained: number[] = [];
    const theirs: number[] = [];
    for (let turn = 0; turn < DRAINS_PER_ROUND * this.rounds; turn += 1) {
      const loads: [string, number][] = [];
      for (const rival of rivals) {
        const { rate } = await round(rival, { clients, seconds: ROUND_S }, hotBook, this.tokens);
        loads.push([rival.name, rate]);
      }
      const alone = await this.drainOnce(ours);
      theirs.push(Math.max(...loads.map(([, rate]) => rate)));
      drained.push(alone);
      const shown = loads.map(([name, rate]) => `${per(rate)}/s of ${name}`);
      process.stderr.write(`a worker alone: ${per(alone)}/s beside ${shown.join(', ')}\n`);
    }
    return ratioOf(drained, theirs);
  }

  private async drainOnce({ programs, url, database }: LendlineSubject): Promise<number> {
    const worker = programs.find(({ name }) => name === 'worker');
    await settled(database);
    await returnAll(database);
    const before = await lastBorrow(database);
    worker?.freeze();
    const statuses = await sendAll(
      url,
      QUEUING_CLIENTS,
      promisedOfHotBook(this.tokens).slice(0, QUEUED).flat(),
    );
    worker?.thaw();
    return rateOf(() => borrowsAfter(database, before), statuses['202'] ?? 0);
  }

  /** Twice what the service takes from clients that wait for each answer. */
  async overload(
    subject: LendlineSubject,
    work: WorkName,
    peaks: readonly number[],
  ): Promise<void> {
    for (const peak of peaks) {
      await returnAll(subject.database);
      const one = await putOpenLoad(
        subject.url,
        { arrivals: OVERLOAD * peak, seconds: OVERLOAD_S },
        WORKS[work],
        this.tokens,
      );
      this.overloaded.push(one);
      await settled(subject.database);
      process.stderr.write(
        `${work}, ${per(OVERLOAD * peak)} requests a second: ${shownOverload(one)}\n`,
      );
    }
  }

  find(subject: string, work: WorkName, clients: number): Measured | undefined {
    return this.measured.find(
      (one) => one.subject === subject && one.work === work && one.clients === clients,
    );
  }

  get(subject: string, work: WorkName, clients: number): Measured {
    const found = this.find(subject, work, clients);
    if (!found) throw new Error(`${subject} was not measured: ${work}, ${clients} clients`);
    return found;
  }

  private add(measured: Measured): Measured {
    this.measured.push(measured);
    return measured;
  }
}

/**
 * Of few copies no more are lent than there are, and everybody else is refused: else a comparison
 * would mean nothing.
 */
async function assertNoOversell(
  { name, url, database }: Subject,
  tokens: readonly string[],
): Promise<void> {
  if (!database) return;
  const statuses = await sendAll(
    url,
    QUEUING_CLIENTS,
    scarceBook(tokens)
      .slice(0, 5 * SCARCE_COPIES)
      .flat(),
  );
  if (statuses['201'] !== SCARCE_COPIES || statuses['409'] !== 4 * SCARCE_COPIES)
    throw new Error(`${name} lent ${SCARCE_COPIES} copies so: ${JSON.stringify(statuses)}`);
  await assertSound(name, database);
}

/** Sent twice at once, and once more, under one idempotency key, a borrow is one borrow. */
async function assertOneEffect({ name, url }: Subject, token: string): Promise<void> {
  const key = randomUUID();
  const send = async () => {
    const response = await fetch(`${url}/api/borrows`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ bookInfoId: HOT_TITLE }),
    });
    const { borrowId } = (await response.json()) as { borrowId?: number };
    return `${response.status} ${borrowId}`;
  };
  const answers = [...(await Promise.all([send(), send()])), await send()];
  if (new Set(answers).size > 1 || !answers[0]?.startsWith('201 '))
    throw new Error(`${name} answered one key so: ${answers.join(', ')}`);
}

/**
 * Things done a second, between a tenth and nine tenths of them: neither the start nor the last few
 * count.
 */
async function rateOf(done: () => Promise<number>, all: number): Promise<number> {
  const at: { count: number; ms: number }[] = [];
  for (let count = 0; count < 0.9 * all; count = await done()) {
    if (count >= 0.1 * all) at.push({ count, ms: performance.now() });
    await pause(LOOK_MS);
  }
  at.push({ count: await done(), ms: performance.now() });
  const [first, last] = [at[0], at.at(-1)];
  return first && last && last !== first
    ? (1000 * (last.count - first.count)) / (last.ms - first.ms)
    : NaN;
}

/** Nothing that is fast and wrong counts. */
export async function assertSound(name: string, database: Sequelize): Promise<void> {
  await settled(database);
  const faults = await faultsOf(database);
  if (faults.length > 0) throw new Error(`${name} left behind: ${faults.join('; ')}`);
}
