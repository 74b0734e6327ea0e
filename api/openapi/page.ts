import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import express, { type RequestHandler } from 'express';
import type { Endpoint } from '../http/endpoint';

/** `/docs`: the document as a page that tries it. It needs nothing from anywhere else. */

const FOLDER = join(__dirname, '..', 'web', 'docs');
const SWAGGER_FOLDER = dirname(require.resolve('swagger-ui-dist/package.json'));

/** Nothing inline, nothing from outside. Swagger UI's own style sheet holds its pictures as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

/** What is served of Swagger UI; its own start page is not. */
const SWAGGER_FILES = /^\/(swagger-ui\.css|swagger-ui-bundle\.js|favicon-32x32\.png)$/;

/** They are asked for again each time, and answered 304. */
const FILES = { index: false, redirect: false, maxAge: 0 };

/** The page. It is read when it is asked for the first time. */
export function docsEndpoint(): Endpoint {
  let html: string | undefined;
  return {
    method: 'get',
    path: '/docs',
    who: 'public',
    kind: 'read',
    doc: { id: 'getDocs', tag: 'Service', summary: 'This document as a page that tries it', answers: { 200: { description: 'The page.', schema: { type: 'string' }, type: 'text/html' } } },
    handle: () => {
      html ??= readFileSync(join(FOLDER, 'page.html'), 'utf8');
      return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }, json: html };
    },
  };
}

/** The files that the page loads, below `/docs/`. */
export function docsFiles(): RequestHandler {
  const router = express.Router();
  const swagger = express.static(SWAGGER_FOLDER, FILES);
  router.use('/docs', express.static(FOLDER, FILES), (request, response, next) => {
    if (SWAGGER_FILES.test(request.path)) swagger(request, response, next);
    else next();
  });
  return router;
}
