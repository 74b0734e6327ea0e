import { newSecret, startEmbedded, startServers, type Environment } from './processes';
import { exportedSecret, target, targetAt, type Target, type TargetName } from './target';

/** A service that only the calling test uses, with what its operator knows of it. */
export interface Installation {
  readonly target: Target;
  /** What the operator's shell holds. */
  readonly env: Environment;
}

export const INSTALLATIONS: readonly TargetName[] = ['embedded', 'servers'];

/**
 * Starts a service of its own, with these settings. A contract test gets it in the way that its
 * project runs; others say `on` which. On servers it has so many processes: each costs seconds of a
 * processor, so only a test that is about several asks for them.
 */
export async function startService({
  on,
  apis = 1,
  workers = 1,
  env = {},
}: {
  readonly on?: TargetName;
  readonly apis?: number;
  readonly workers?: number;
  readonly env?: Environment;
} = {}): Promise<Installation> {
  const name = on ?? (await target()).name;
  const all = { JWT_SECRET: exportedSecret(newSecret), ...env };
  if (name === 'embedded') {
    const { url, dataDir } = await startEmbedded({ env: all });
    return { target: targetAt(name, [url]), env: { ...all, DATA_DIR: dataDir } };
  }
  const system = await startServers({ apis, workers, env: all });
  return {
    target: targetAt(
      name,
      system.apis.map(({ url }) => url),
    ),
    env: system.env,
  };
}
