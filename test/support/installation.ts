import { newSecret, startEmbedded, startServers, type Environment } from './processes';
import { exportedSecret, targetAt, type Target, type TargetName } from './target';

/** A service of its own with what its operator knows of it, for tests that look behind the API. */
export interface Installation {
  readonly target: Target;
  /** What the operator's shell holds. */
  readonly env: Environment;
}

export const INSTALLATIONS: readonly TargetName[] = ['embedded', 'servers'];

export async function startInstallation(name: TargetName): Promise<Installation> {
  const secret = { JWT_SECRET: exportedSecret(newSecret) };
  if (name === 'embedded') {
    const { url, dataDir } = await startEmbedded({ env: secret });
    return { target: targetAt(name, [url]), env: { ...secret, DATA_DIR: dataDir } };
  }
  const { apis, env } = await startServers({ apis: 2, workers: 2, env: secret });
  return {
    target: targetAt(
      name,
      apis.map(({ url }) => url),
    ),
    env,
  };
}
