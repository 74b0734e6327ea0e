import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { BodyBytes } from './body-bytes';
import { checkJsonSize } from './json-size';
import { passing } from '../passing';
import { Problem } from '../responses/problem';

/** Reads JSON bodies. */

/** Largest body, bytes, counted after decompression. */
const BODY_MAX_BYTES = 1024 * 1024;

/**
 * No other `+json`: a type such as `application/json-patch+json` says that its members mean
 * something else. A PATCH means what RFC 7396 says: null clears, and what is absent stays.
 */
const JSON_TYPE = /^application\/json\s*(?:;(.*))?$/i;
const PATCH_TYPE = /^application\/(?:merge-patch\+)?json\s*(?:;(.*))?$/i;

/** RFC 5789: the types that a PATCH takes. */
export const ACCEPT_PATCH = { 'Accept-Patch': 'application/merge-patch+json, application/json' };

const collect: RequestHandler = express.raw({ limit: BODY_MAX_BYTES, type: () => true });

/** Any JSON value is read, so that `"text"` is told apart from what is no JSON at all. */
function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Problem('MALFORMED_JSON', 'The body is not UTF-8 text.');
  checkJsonSize(bytes);
  try {
    // Without a byte order mark at the beginning.
    return JSON.parse(bytes.toString().replace(/^\uFEFF/, ''));
  } catch {
    throw new Problem('MALFORMED_JSON', 'The body cannot be read as JSON.');
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isJson(contentType: string, method: string): boolean {
  if (contentType === 'application/json') return true;
  const match = (method === 'PATCH' ? PATCH_TYPE : JSON_TYPE).exec(contentType);
  if (!match) return false;
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(match[1] ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/**
 * What body-parser says, as a problem. Its errors name what happened in `type`; those of zlib do
 * not.
 */
function problemOf(method: string, error: unknown): Error {
  const { type = '', status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    return new Problem('PAYLOAD_TOO_LARGE', `The body must have at most ${BODY_MAX_BYTES} bytes.`);
  }
  if (status === 415)
    return new Problem('UNSUPPORTED_MEDIA_TYPE', 'The encoding of the body is not supported.', {
      headers: method === 'PATCH' ? ACCEPT_PATCH : {},
    });
  if (type === 'request.aborted' || status === 400)
    return new Problem('MALFORMED_JSON', 'The body cannot be read as JSON.');
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * The parsed body; without one `{}`, so that what is required in it is named field by field.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, MALFORMED_JSON, UNAVAILABLE, or
 * VALIDATION_FAILED when it is JSON but no object.
 */
export async function readBody(
  request: Request,
  response: Response,
  bodies: BodyBytes,
): Promise<object> {
  if (!hasBody(request)) return {};
  const { method, headers } = request;
  if (!isJson(headers['content-type'] ?? '', method)) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8.', {
      headers: method === 'PATCH' ? ACCEPT_PATCH : {},
    });
  }
  bodies.take(request, response, BODY_MAX_BYTES);
  await passing(collect, request, response, (error) => problemOf(method, error));
  const bytes = request.body as Buffer;
  if (bytes.length === 0) return {};
  await bodies.turn(bytes.length);
  const body = parse(bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  const message = 'the body must be an object';
  throw new Problem('VALIDATION_FAILED', `${message}.`, {
    extras: { errors: [{ field: 'body', pointer: '#', code: 'INVALID_TYPE', message }] },
  });
}
