import { cleanUp } from '../cleanup';
import { offerLogs } from '../logs';
import { handOver } from '../times/kinds';

offerLogs();

/** Stops what a test file has left running, also when a test has failed half-way. */
afterAll(cleanUp);

afterAll(() => {
  handOver(expect.getState().testPath ?? '');
});
