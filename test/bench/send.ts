import { Agent, request } from 'node:http';

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

/** The status of the answer; rejects when there is none in time. */
export function statusOf(agent: Agent, url: string, { method, path, token, body, prefer }: Sent): Promise<number> {
  const text = JSON.stringify(body);
  const headers = { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...(prefer && { prefer }) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
      answer.resume().once('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer in time'))).once('error', reject);
    sent.end(text);
  });
}

export function countedByStatus(statuses: readonly number[]): Statuses {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sends each of the requests once, so many at a time. */
export async function sendAll(url: string, clients: number, requests: readonly Sent[]): Promise<Statuses> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  try {
    return countedByStatus(await Promise.all(requests.map((one) => statusOf(agent, url, one))));
  } finally {
    agent.destroy();
  }
}
