import type { Random } from './random';
import type { Latency } from './wire';

/** What becomes of a packet. */
export type Fate =
  | 'carried out'
  /**
   * The server rolls the transaction back, as for a deadlock with somebody who is not simulated.
   */
  | 'deadlock'
  /** The connection breaks before anything is carried out. */
  | 'lost before'
  /**
   * The connection breaks after everything was carried out, so that it is not known whether it was.
   */
  | 'lost after';

/** What may be done to the worker whose step has just ended, or to a server. */
export type FaultKind =
  | 'crash'
  | 'freeze'
  | 'leave'
  | 'join'
  | 'close channel'
  | 'cancel consumer'
  | 'cut broker'
  | 'cut database'
  | 'database down'
  | 'broker down';

interface PlannedFault {
  readonly kind: FaultKind;
  /** Steps of all workers before it. */
  readonly atStep: number;
}

const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  crash: 4,
  freeze: 6,
  leave: 2,
  join: 2,
  'close channel': 2,
  'cancel consumer': 1,
  'cut broker': 5,
  'cut database': 3,
  'database down': 1,
  'broker down': 1,
};

/** Most faults of one simulation. */
const FAULTS_MAX = 6;
/** Steps within which they begin: about as many as the commands of a simulation take. */
const STEPS_MAX = 250;

const GO_ON_MS = [200, 1000, 4000];
const GO_ON_LONG_MS = 20_000;
/** Share of the simulations that go on long. */
const LONG_SHARE = 0.04;

/** What goes wrong in one simulation, drawn before it begins or when it is asked for. */
export class Faults {
  /** How long faults may still happen after the last command, milliseconds. */
  readonly goOnMs: number;
  /** Most deliveries that the broker lets a channel hold. */
  readonly prefetchMax: number;
  /** Most bytes of commands that a worker holds: so few that it gives some back, or any. */
  readonly heldBytesMax: number;
  /**
   * For how long commands for the same queue are gathered into one message, milliseconds; 0: each
   * has its own.
   */
  readonly gatherMs: number;
  private readonly planned: PlannedFault[];
  private healed = false;
  private readonly packetTrouble: number;
  private readonly replyTrouble: number;
  private readonly bumpTrouble: number;
  private readonly sendTrouble: number;

  constructor(private readonly random: Random) {
    const count = random.integer(0, FAULTS_MAX);
    this.planned = Array.from({ length: count }, () => ({
      kind: random.weighted(WEIGHTS),
      atStep: random.integer(1, STEPS_MAX),
    })).sort((a, b) => a.atStep - b.atStep);
    this.goOnMs = random.chance(LONG_SHARE) ? GO_ON_LONG_MS : random.pick(GO_ON_MS);
    this.prefetchMax = random.pick([1, 3, 10, 1500]);
    this.heldBytesMax = this.prefetchMax === 10 ? 4000 : Infinity;
    this.gatherMs = random.pick([0, 1, 10, 100]);
    const trouble = (most: number) => (random.chance(0.5) ? 0 : random.between(0, most));
    this.packetTrouble = trouble(0.1);
    this.replyTrouble = trouble(0.3);
    this.bumpTrouble = trouble(0.5);
    this.sendTrouble = trouble(0.4);
  }

  /** The faults that are to be caused after so many steps, each once. */
  due(steps: number): FaultKind[] {
    const due: FaultKind[] = [];
    for (let [next] = this.planned; next && next.atStep <= steps; [next] = this.planned) {
      due.push(next.kind);
      this.planned.shift();
    }
    return due;
  }

  /** From now on nothing goes wrong any more. */
  heal(): void {
    this.healed = true;
  }

  /** Of one connection, from now on. */
  latency(): Latency {
    const { random } = this;
    return {
      usualMs: random.pick([0.5, 2, 10]),
      slowMs: random.pick([20, 100, 400]),
      slowPermille: random.pick([0, 20, 100]),
    };
  }

  fateOfPacket(): Fate {
    return this.happens(this.packetTrouble)
      ? this.random.pick(['deadlock', 'lost before', 'lost after'])
      : 'carried out';
  }

  replyIsLost(): boolean {
    return this.happens(this.replyTrouble);
  }

  bumpFails(): boolean {
    return this.happens(this.bumpTrouble);
  }

  /**
   * When a command is published, milliseconds from now: usually once and at once, or never, or
   * twice.
   */
  sendings(): number[] {
    if (!this.happens(this.sendTrouble)) return [this.random.between(0, 1)];
    const { random } = this;
    if (random.chance(0.2)) return [];
    const firstMs = random.between(0, 3);
    return [firstMs, firstMs + random.between(0, random.pick([1, 3000]))];
  }

  private happens(probability: number): boolean {
    return !this.healed && probability > 0 && this.random.chance(probability);
  }
}
