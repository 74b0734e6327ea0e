import type { SimulatedEvent } from '../process';
import type { Surroundings } from '../surroundings';
import { instantMs } from '../time';
import type { Environment, Statement } from './sql';
import { statementOf } from './statement-of';
import type { Storage } from './storage';
import { Blocked, DatabaseError, Transaction, type StatementResult } from './transaction';

/** As `innodb_lock_wait_timeout` is set by the product. */
const LOCK_WAIT_MS = 5000;

/**
 * The results of the statements that were carried out; `error` is that of the first one that was
 * not.
 */
export interface Answer {
  readonly results: readonly StatementResult[];
  readonly error?: DatabaseError;
}

interface Packet {
  readonly statements: readonly Statement[];
  readonly values: readonly unknown[];
  readonly answer: (answer: Answer) => void;
  readonly results: StatementResult[];
  /** Parameters of the statements that are done. */
  used: number;
}

/** The server, as a session sees it. */
export interface SessionServer {
  readonly around: Surroundings;
  readonly storage: Storage;
  readonly namedLocks: Map<string, Session>;
  commit(transaction: Transaction): void;
  /** Ends another session. */
  kill(session: unknown): void;
  /** Whether a session that waits does so, by way of others, for itself. */
  isDeadlock(session: Session): boolean;
}

/**
 * A connection's life at the server: packets of statements are carried out one after the other, and
 * each up to the first statement that fails. A session that has to wait for a row is woken when the
 * row is free, or fails after `LOCK_WAIT_MS`; who would wait for itself by way of others is rolled
 * back as a deadlock. A session that ends, however it does, is rolled back and its locks are free.
 * Named locks (`GET_LOCK`) are never waited for: who does not get one at once does not get it.
 */
export class Session {
  transaction: Transaction | null = null;
  /** The transaction that it waits for. */
  waitsFor: Transaction | null = null;
  private packet: Packet | null = null;
  private timeout: SimulatedEvent | null = null;
  private readonly named = new Set<string>();
  ended = false;

  /** `lose` ends the connection from the server's side. */
  constructor(
    private readonly server: SessionServer,
    private readonly name: string,
    private readonly lose: () => void,
  ) {}

  receive(text: string, values: readonly unknown[], answer: Packet['answer']): void {
    if (this.ended) return;
    const fate = this.server.around.faults.fateOfPacket();
    if (fate === 'lost before') {
      this.end();
      return;
    }
    if (fate === 'deadlock') {
      this.fail(answer, 'ER_LOCK_DEADLOCK');
      return;
    }
    this.server.around.tell(
      () =>
        `${this.name} sends ${text.replaceAll(/\s+/g, ' ').slice(0, 300)} ${JSON.stringify(values).slice(0, 200)}`,
    );
    const statements = text.split(';\n').map(statementOf);
    this.packet = {
      statements,
      values,
      results: [],
      used: 0,
      answer:
        fate === 'lost after'
          ? () => {
              this.end();
            }
          : answer,
    };
    this.proceed();
  }

  /** The connection is gone, or was killed. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.packet = null;
    this.stopWaiting();
    this.rollBack();
    for (const name of this.named) this.server.namedLocks.delete(name);
    this.lose();
  }

  private proceed(): void {
    const { packet } = this;
    if (!packet) return;
    this.stopWaiting();
    try {
      while (packet.results.length < packet.statements.length) {
        const statement = packet.statements[packet.results.length]!;
        packet.results.push(this.carryOut(statement, packet));
        packet.used += statement.parameters;
      }
    } catch (reason) {
      if (reason instanceof Blocked) this.wait(reason.holder, packet);
      else if (reason instanceof DatabaseError) this.refuse(packet, reason);
      else this.server.around.fail(reason);
      return;
    }
    this.packet = null;
    packet.answer({ results: packet.results });
  }

  private carryOut(statement: Statement, { values, used }: Packet): StatementResult {
    const environment: Environment = { values, first: used, now: instantMs, call: this.call };
    switch (statement.kind) {
      case 'begin':
        this.commit();
        this.transaction = new Transaction();
        return { affectedRows: 0 };
      case 'commit':
        this.commit();
        return { affectedRows: 0 };
      case 'rollback':
        this.rollBack();
        return { affectedRows: 0 };
      case 'kill':
        this.server.kill(statement.session({}, environment));
        return { affectedRows: 0 };
      default: {
        const { transaction } = this;
        return transaction
          ? this.run(statement, transaction, environment)
          : this.runAlone(statement, environment);
      }
    }
  }

  private run(
    statement: Statement,
    transaction: Transaction,
    environment: Environment,
  ): StatementResult {
    const { values, first } = environment;
    const result = this.server.storage.run(statement, transaction, environment);
    transaction.ran.push({ statement, values: values.slice(first, first + statement.parameters) });
    return result;
  }

  private runAlone(statement: Statement, environment: Environment): StatementResult {
    const transaction = new Transaction();
    try {
      const result = this.run(statement, transaction, environment);
      this.server.commit(transaction);
      return result;
    } finally {
      this.server.storage.rollback(transaction);
    }
  }

  private readonly call: Environment['call'] = (name, [first]) => {
    const lock = String(first);
    const holder = this.server.namedLocks.get(lock);
    if (name === 'IS_USED_LOCK') return holder ?? null;
    if (name !== 'GET_LOCK') throw new Error(`the simulated database has no function ${name}`);
    if (holder && holder !== this) return 0;
    this.server.namedLocks.set(lock, this);
    this.named.add(lock);
    return 1;
  };

  private commit(): void {
    const { transaction } = this;
    this.transaction = null;
    if (transaction) this.server.commit(transaction);
  }

  private rollBack(): void {
    const { transaction } = this;
    this.transaction = null;
    if (transaction) this.server.storage.rollback(transaction);
  }

  private wait(holder: Transaction, packet: Packet): void {
    this.waitsFor = holder;
    if (this.server.isDeadlock(this)) {
      this.refuse(packet, new DatabaseError('ER_LOCK_DEADLOCK'));
      return;
    }
    holder.waiting.push(() => {
      this.server.around.scheduler.in(0, null, () => {
        if (this.waitsFor === holder) this.proceed();
      });
    });
    this.timeout = this.server.around.scheduler.in(LOCK_WAIT_MS, null, () => {
      this.refuse(packet, new DatabaseError('ER_LOCK_WAIT_TIMEOUT'));
    });
  }

  private stopWaiting(): void {
    this.waitsFor = null;
    if (this.timeout) this.timeout.cancelled = true;
    this.timeout = null;
  }

  private refuse(packet: Packet, error: DatabaseError): void {
    this.packet = null;
    this.stopWaiting();
    // A lock that was not got in time undoes the statement alone.
    if (error.code === 'ER_LOCK_DEADLOCK') this.rollBack();
    this.server.around.tell(() => `${this.name} is refused: ${error.code}`);
    packet.answer({ results: packet.results, error });
  }

  private fail(answer: Packet['answer'], code: string): void {
    this.rollBack();
    answer({ results: [], error: new DatabaseError(code) });
  }
}
