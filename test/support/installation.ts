import { newSecret, startEmbedded, startServers, type Environment } from './processes';
import { exportedSecret, targetAt, type Target, type TargetName } from './target';

/** A service of its own with what its operator knows of it, for tests that look behind the API. */
export interface Installation {
  readonly target: Target;
  /** What the operator's shell holds. */
  readonly env: Environment;
}

export const INSTALLATIONS: readonly TargetName[] = ['embedded', 'servers'];

/** On servers with one API and one worker, unless more are asked for. */
export async function startInstallation(
  name: TargetName,
  { apis = 1, workers = 1 }: { apis?: number; workers?: number } = {},
): Promise<Installation> {
  const secret = { JWT_SECRET: exportedSecret(newSecret) };
  if (name === 'embedded') {
    const { url, dataDir } = await startEmbedded({ env: secret });
    return { target: targetAt(name, [url]), env: { ...secret, DATA_DIR: dataDir } };
  }
  const system = await startServers({ apis, workers, env: secret });
  return {
    target: targetAt(
      name,
      system.apis.map(({ url }) => url),
    ),
    env: system.env,
  };
}
