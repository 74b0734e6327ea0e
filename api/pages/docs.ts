import { dirname, join } from 'node:path';
import express, { type RequestHandler } from 'express';
import { pageEndpoint, WEB_FOLDER } from './page';

/** `/docs`: the document as a page that tries it. */

const SWAGGER_FOLDER = dirname(require.resolve('swagger-ui-dist/package.json'));

/** What is served of Swagger UI; its own start page is not. */
const SWAGGER_FILES = /^\/(swagger-ui\.css|swagger-ui-bundle\.js|favicon-32x32\.png)$/;

/** They are asked for again each time, and answered 304. */
const FILES = { index: false, redirect: false, maxAge: 0 };

export const docsEndpoint = () =>
  pageEndpoint({
    path: '/docs',
    id: 'getDocs',
    summary: 'This document as a page that sends requests',
    file: 'docs/page.html',
  });

/** Returns the files that the page loads, below `/docs/`. */
export function docsFiles(): RequestHandler {
  const router = express.Router();
  const swagger = express.static(SWAGGER_FOLDER, FILES);
  router.use(
    '/docs',
    express.static(join(WEB_FOLDER, 'docs'), FILES),
    (request, response, next) => {
      if (SWAGGER_FILES.test(request.path)) swagger(request, response, next);
      else next();
    },
  );
  return router;
}
