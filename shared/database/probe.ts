import type { Connection, ConnectionOptions } from 'mysql2/promise';

/** How long a server may take to connect or to answer, milliseconds. */
const ANSWER_MS = 2000;

const ignore = (): void => undefined;

/** The driver is loaded when a server is asked: the embedded default has none. */
const connected = async (options: ConnectionOptions): Promise<Connection> =>
  (await import('mysql2/promise')).createConnection(options);

/** Asks one server, over its own connection, which is made again after a failure. */
export class Probe {
  private connection: Promise<Connection> | null = null;

  constructor(private readonly options: ConnectionOptions) {}

  /**
   * Asks a question.
   * @returns the answer, or the reason why there is none.
   */
  async ask<Result>(
    question: (connection: Connection) => Promise<Result>,
  ): Promise<Result | Error> {
    this.connection ??= connected({ ...this.options, connectTimeout: ANSWER_MS });
    const { connection } = this;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(reject, ANSWER_MS, new Error(`no answer within ${ANSWER_MS} ms`));
    });
    try {
      return await Promise.race([connection.then(question), late]);
    } catch (error) {
      if (this.connection === connection) this.close();
      const { message, code } = error as { message?: string; code?: string };
      return new Error(message || code || 'no answer');
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    const { connection } = this;
    this.connection = null;
    connection?.then((open) => {
      open.destroy();
    }, ignore);
  }
}
