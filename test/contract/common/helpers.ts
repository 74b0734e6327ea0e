import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { Response } from 'supertest';
import type { Target } from '../../support/service/target';

/** What several of the tests for every endpoint need. */

/** An id that may be asked for and that nothing has. */
export const NO_ID = Number.MAX_SAFE_INTEGER;

/** A text that no other test uses. */
export const unique = (what: string): string => `${what} ${randomUUID()}`;

/**
 * Registers a title nobody else knows, with no more attributes than it must have, and returns it.
 */
export async function registerTitle(
  target: Target,
  attributes: Record<string, unknown> = {},
): Promise<Record<string, unknown> & { bookInfoId: number }> {
  const body = { title: unique('Title'), author: unique('Author'), ...attributes };
  const response = await target
    .api()
    .post('/api/book-infos')
    .auth(target.admin, { type: 'bearer' })
    .send(body);
  expect(response.status).toBe(201);
  return response.body;
}

interface RawRequest {
  readonly method: string;
  /** Sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

type RawResponse = Pick<Response, 'status' | 'headers' | 'type' | 'text' | 'body'>;

/** A request without a client library that would put right what is wrong with it. */
export function send(
  url: string,
  { method, path, headers = {}, body }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('error', reject);
        response.on('data', (part: string) => (text += part));
        response.on('end', () => {
          const [type = ''] = (response.headers['content-type'] ?? '').split(';');
          const body =
            type.endsWith('json') && text !== '' ? (JSON.parse(text) as unknown) : undefined;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            type,
            text,
            body,
          });
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/**
 * A token whose parts are what they are said to be, signed with HMAC-SHA256 when there is a secret,
 * whatever its header says.
 */
export function forge(header: object, payload: unknown, secret?: string): string {
  const content = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${secret === undefined ? '' : createHmac('sha256', secret).update(content).digest('base64url')}`;
}
