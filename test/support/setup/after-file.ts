import { cleanUp } from '../cleanup';

/** Stops what a test file has left running, also when a test has failed half-way. */
afterAll(cleanUp);
