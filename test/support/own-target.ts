import { newSecret, startEmbedded, startServers, type Environment } from './processes';
import { exportedSecret, target, targetAt, type Target } from './target';

/**
 * A service that only the calling test file uses, with settings of its own, run in the same way as
 * the shared one.
 */
export async function ownTarget(env: Environment): Promise<Target> {
  const { name } = await target();
  const all = { JWT_SECRET: exportedSecret(newSecret), ...env };
  if (name === 'embedded') return targetAt(name, [(await startEmbedded({ env: all })).url]);
  const { apis } = await startServers({ apis: 2, workers: 2, env: all });
  return targetAt(
    name,
    apis.map(({ url }) => url),
  );
}
