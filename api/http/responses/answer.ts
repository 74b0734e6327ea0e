import type { Request, Response } from 'express';
import { COMPRESS_FROM_BYTES, endCompressed } from './compress';
import type { Answer } from '../endpoint';

/** Content type of every answer that does not name another. */
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * What is read may be compressed, but for what has a strong ETag: that names the very bytes, so
 * each coding would need a tag of its own.
 */
function mayCompress({ method }: Request, { headers }: Answer): boolean {
  return (method === 'GET' || method === 'HEAD') && !headers?.['ETag']?.startsWith('"');
}

function setHeaders(request: Request, response: Response, answer: Answer): void {
  const { headers = {} } = answer;
  response.setHeader('Cache-Control', 'ETag' in headers ? 'no-cache' : 'no-store');
  for (const name in headers) {
    // Where origins are allowed, it names `Origin` already.
    if (name === 'Vary') response.vary(headers[name] as string);
    else response.setHeader(name, headers[name] as string);
  }
  // Also for what is too small today, or not changed: a cache has to know it before it meets the
  // first that is compressed.
  if (mayCompress(request, answer)) response.vary('Accept-Encoding');
}

/**
 * Writes an answer, with Node's own methods: Express's `send` would hash every body into an ETag.
 *
 * - `ETag`: a GET whose `If-None-Match` names it gets 304. The tag of a list is weak, so that lists
 *   can be compressed.
 * - `Cache-Control`: without one, nothing may be stored but answers with an ETag, after
 *   revalidation.
 * - HEAD: headers only.
 */
export function sendAnswer(request: Request, response: Response, answer: Answer): void {
  const { status, headers = {} } = answer;
  response.statusCode = status;
  setHeaders(request, response, answer);
  if (status === 200 && 'ETag' in headers && request.fresh) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const text = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (text === undefined) {
    response.end();
    return;
  }
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', JSON_TYPE);
  const bytes = Buffer.byteLength(text);
  response.setHeader('Content-Length', bytes);
  // The answers to writes are small, and clients wait for them.
  if (bytes >= COMPRESS_FROM_BYTES && request.method === 'GET' && mayCompress(request, answer))
    endCompressed(request, response, text);
  else response.end(text);
}
