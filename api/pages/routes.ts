import { join } from 'node:path';
import express, { type RequestHandler } from 'express';
import type { Endpoint } from '../http/endpoint';
import { docsEndpoint, docsFiles } from './docs';
import { pageEndpoint, pageHeaders, pageText, WEB_FOLDER, type PageSources } from './page';
import { problemEndpoint } from './problems';
import { READER_PLACES } from './reader-places';

/** The pages for people. What they show, they ask of the API like every other client. */

/** The names of these files change with what they hold, so they can be kept for ever. */
const BUILT_FILES = { index: false, redirect: false, immutable: true, maxAge: '365d' };

const READER_PAGE = 'reader/index.html';

/** `sources`: from where readers' videos and covers come. */
export const pageEndpoints = (sources: PageSources): Endpoint[] => [
  pageEndpoint({
    sources,
    path: '/',
    id: 'getReaderPage',
    summary: 'The page for readers',
    file: READER_PAGE,
  }),
  pageEndpoint({
    path: '/console',
    id: 'getConsolePage',
    summary: 'The page for operators',
    file: 'console/index.html',
  }),
  pageEndpoint({
    path: '/desk',
    id: 'getDeskPage',
    summary: "The page for the library's desk",
    file: 'desk/index.html',
  }),
  docsEndpoint(),
  problemEndpoint,
];

const showReaderPage =
  (sources: PageSources): RequestHandler =>
  async (_, response) => {
    response
      .set({ ...pageHeaders(sources), 'Cache-Control': 'no-store' })
      .send(await pageText(READER_PAGE, sources));
  };

/** Asked for again each time, so that a newer one takes its place. */
const WORKER_FILE = { maxAge: 0 };

/** Returns what the pages load, and the places of the readers' page. */
export const pageFiles = (sources: PageSources): RequestHandler[] => [
  docsFiles(),
  express.Router().get('/offline.js', (_, response) => {
    response.sendFile('offline.js', { ...WORKER_FILE, root: WEB_FOLDER });
  }),
  express.Router().use('/assets', express.static(join(WEB_FOLDER, 'assets'), BUILT_FILES)),
  express.Router({ strict: true }).get(READER_PLACES, showReaderPage(sources)),
];
