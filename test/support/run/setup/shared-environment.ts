import { join } from 'node:path';
import { ROOT } from '../../service/child';
import { newSecret, type Environment } from '../../service/processes';
import { exportedSecret } from '../../service/target';

/** Returns the environment of a service that all test files of a run share. */
export const sharedEnvironment = (): Environment => ({
  JWT_SECRET: exportedSecret(newSecret),
  NODE_OPTIONS: `--require ${join(ROOT, 'test/support/service/quick-hash-hook.js')}`,
});
