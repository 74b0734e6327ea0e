import { Pool } from 'undici';

/** Requests that are counted one by one, by the status of the answer. */

export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  /** The header of this name. */
  readonly prefer?: string;
}

/** Answers by status. */
export type Statuses = Readonly<Record<string, number>>;

/** Longest wait for an answer, milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * The status of the answer; rejects when there is none in time. undici's innermost call, because
 * what is spent here is taken from the service.
 */
export function statusOf(pool: Pool, { method, path, token, body, prefer }: Sent): Promise<number> {
  const headers = {
    authorization: `Bearer ${token ?? ''}`,
    'content-type': 'application/json',
    ...(prefer && { prefer }),
  };
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(
      { method, path, headers, body: JSON.stringify(body), headersTimeout: TIMEOUT_MS },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseEnd: () => {
          resolve(status);
        },
        onResponseError: (_controller, error) => {
          reject(error);
        },
      },
    );
  });
}

function countedByStatus(statuses: readonly number[]): Statuses {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sends each of the requests once, so many at a time. */
export async function sendAll(
  url: string,
  clients: number,
  requests: readonly Sent[],
): Promise<Statuses> {
  const pool = new Pool(url, { connections: clients });
  try {
    return countedByStatus(await Promise.all(requests.map((one) => statusOf(pool, one))));
  } finally {
    await pool.close();
  }
}
