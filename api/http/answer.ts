import type { Request, Response } from 'express';
import { COMPRESS_FROM_BYTES, endCompressed } from './compress';
import type { Answer } from './endpoint';

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
 * Writes an answer. Node's own methods are used because Express's `send` hashes every body into an
 * ETag that nobody asked for.
 * - an `ETag` among the headers makes 304 of a GET whose `If-None-Match` names it; that of a list
 * is weak, so that it can be compressed
 * - unless `Cache-Control` is given, nothing may be kept, save answers with an ETag, which must be
 * asked for again
 * - a HEAD request gets the headers only
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
