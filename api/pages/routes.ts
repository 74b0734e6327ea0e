import { join } from 'node:path';
import express, { type RequestHandler } from 'express';
import type { Endpoint } from '../http/endpoint';
import { docsEndpoint, docsFiles } from './docs';
import { pageEndpoint, WEB_FOLDER } from './page';

/** The pages for people. What they show, they ask of the API like every other client. */

/** The names of these files change with what they hold, so they can be kept for ever. */
const BUILT_FILES = { index: false, redirect: false, immutable: true, maxAge: '365d' };

export const pageEndpoints = (): Endpoint[] => [
  pageEndpoint({
    path: '/',
    id: 'getReaderPage',
    summary: 'The page for readers',
    file: 'reader/index.html',
  }),
  pageEndpoint({
    path: '/console',
    id: 'getConsolePage',
    summary: 'The page for operators',
    file: 'console/index.html',
  }),
  docsEndpoint(),
];

/** What the pages load. */
export const pageFiles = (): RequestHandler[] => [
  docsFiles(),
  express.Router().use('/assets', express.static(join(WEB_FOLDER, 'assets'), BUILT_FILES)),
];
