import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of a quiet program as it is. V8 would collect garbage after some seconds without
 * much work so as to give memory back, and the next work took half as much processor time again
 * (docs/performance.md). The garbage of work is collected as ever, and the heap's limit stays.
 *
 * A program imports this before anything else: set when the other modules are loaded, the flag has
 * no effect.
 */

/**
 * How long a program is quiet before V8 makes its heap small, milliseconds: a day instead of 8
 * seconds.
 */
const QUIET_MS = 24 * 3600 * 1000;

setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${QUIET_MS}`);
