import { cleanUp } from '../cleanup';
import { shareLogs } from '../logs';
import { startServers } from '../../service/processes';
import { exportTarget } from '../../service/target';
import startServersOnce from './global-setup';
import { sharedEnvironment } from './shared-environment';

/** The project `servers`: two API processes and two workers for all contract tests of the run. */
export default async function setUpServers(): Promise<void> {
  await startServersOnce();
  try {
    const { apis, workers } = await startServers({
      apis: 2,
      workers: 2,
      env: sharedEnvironment(),
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
