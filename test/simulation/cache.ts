import type { Cache } from '../../shared/cache/cache';
import type { SimulatedProcess } from './process';
import type { Surroundings } from './surroundings';
import { Wire } from './wire';

class CacheError extends Error {}

/**
 * A worker's connection to the cache, of which workers use `bump` alone. A bump that fails may have
 * been carried out.
 */
export function simulatedCache(
  { scheduler, random, faults, judge, tell }: Surroundings,
  process: SimulatedProcess,
): Cache {
  const wire = new Wire(scheduler, random, process, faults.latency());
  return {
    bump: (subjects) =>
      new Promise((resolve, reject) => {
        wire.toServer(() => {
          const fails = faults.bumpFails();
          tell(() => `${process.name} bumps ${subjects.join()}${fails ? ' in vain' : ''}`);
          if (!fails || random.chance(0.5)) judge.bumped(subjects);
          wire.toClient(() => {
            if (fails) reject(new CacheError('not reached'));
            else resolve();
          });
        });
      }),
    get: () => Promise.resolve(null),
    version: () => Promise.resolve(null),
    put: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
