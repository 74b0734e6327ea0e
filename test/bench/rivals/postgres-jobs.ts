import pg from 'pg';
import { Waiting, type Job } from './jobs';
import { answerOf } from './postgres';

/** How jobs that are carried out in PostgreSQL are answered: by a NOTIFY of their transactions. */

const CHANNEL = 'rival_answers';

const told = (call: string, id: string): string =>
  `SELECT pg_notify('${CHANNEL}', json_build_object(
     'id', ${id}::TEXT, 'v_status', v_status, 'v_outcome', v_outcome)::TEXT) FROM ${call}`;

const BORROW = told('rival_borrow($1, $2, $3)', '$4');
const RETURN = told('rival_return($1, $2)', '$3');

interface Statement {
  /** One with a name is parsed once for each connection. */
  readonly name: string;
  readonly text: string;
  readonly values: (number | string | null)[];
}

/** The statement of a job. `key` keeps what is run twice from having effect twice. */
export function statementOf(
  { id, reader, bookInfoId, isReturn }: Job,
  key: string | null,
): Statement {
  const { userId } = reader;
  return isReturn
    ? { name: 'return', text: RETURN, values: [userId, bookInfoId, id] }
    : { name: 'borrow', text: BORROW, values: [userId, bookInfoId, key, id] };
}

/** Callers that are told what the jobs' transactions notify. */
export function listening(url: string): Waiting {
  const waiting = new Waiting();
  const client = new pg.Client({ connectionString: url });
  client.on('notification', ({ payload = '' }) => {
    const { id, ...row } = JSON.parse(payload) as Parameters<typeof answerOf>[0] & { id: string };
    waiting.tell(id, answerOf(row));
  });
  void client.connect().then(() => client.query(`LISTEN ${CHANNEL}`));
  return waiting;
}
