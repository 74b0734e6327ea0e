import { cleanUp } from '../cleanup';
import { shareLogs } from '../logs';
import { newSecret, startServers } from '../../service/processes';
import { exportedSecret, exportTarget } from '../../service/target';
import startServersOnce from './global-setup';

/** The project `servers`: two API processes and two workers for all contract tests of the run. */
export default async function setUpServers(): Promise<void> {
  await startServersOnce();
  try {
    const { apis, workers } = await startServers({
      apis: 2,
      workers: 2,
      env: { JWT_SECRET: exportedSecret(newSecret) },
    });
    await shareLogs(
      'servers',
      [...apis, ...workers].map(({ child }) => child),
    );
    exportTarget(
      'servers',
      apis.map(({ url }) => url),
    );
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
