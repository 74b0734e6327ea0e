import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/** Smaller answers are not worth compressing, bytes. */
export const COMPRESS_FROM_BYTES = 1024;

/**
 * Compresses whatever a handler after it writes; for pages. It costs each request more than a small
 * answer itself does.
 */
export const compressAll: RequestHandler = compression({ threshold: COMPRESS_FROM_BYTES });

/** Ends a response with a text that is large enough to be compressed, if the client takes that. */
export function endCompressed(request: Request, response: Response, text: string): void {
  void compressAll(request, response, () => {
    response.end(text);
  });
}
