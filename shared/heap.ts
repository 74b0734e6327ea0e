import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of a quiet program at its size. After some seconds without much work, V8 would
 * shrink it, and the next work took half as much processor time again (docs/performance.md).
 * Garbage of work is collected as ever, and the heap's limit stays.
 * A program imports this before anything else: the flag has no effect once other modules are
 * loaded.
 */

/**
 * How long a program is quiet before V8 shrinks its heap, milliseconds: a day instead of 8 seconds.
 */
const QUIET_MS = 24 * 3600 * 1000;

setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${QUIET_MS}`);
