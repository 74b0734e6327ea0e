/**
 * Puts the simulation's stand-ins in the places of what the code under test imports: time, amqplib,
 * and what workers do besides carrying commands out. To be imported before any of that code.
 */
import 'reflect-metadata';
import Module from 'node:module';
import timers from 'node:timers/promises';
import { connect } from './broker/amqplib';
import { SimulatedJobs } from './leader-jobs';
import { installTime, pause } from './time';

/** Whoever imports this file from now on gets these exports. */
function replace(path: string, exports: object): void {
  const filename = require.resolve(path);
  require.cache[filename] = Object.assign(new Module(filename), {
    exports,
    filename,
    loaded: true,
  });
}

installTime();
Object.assign(timers, { setTimeout: pause, setImmediate: () => pause(0) });
replace('amqplib', { connect });
replace('../../workers/watchdog', { startWatchdog: () => ({ stop: () => Promise.resolve() }) });
replace('../../workers/jobs/leader-jobs', { LeaderJobs: SimulatedJobs });
// A cache for 100,000 users takes longer to make than a whole simulation.
replace('lru-cache', {
  LRUCache: class {
    private readonly kept = new Map<unknown, unknown>();
    get(key: unknown): unknown {
      return this.kept.get(key);
    }
    set(key: unknown, value: unknown): void {
      this.kept.set(key, value);
    }
  },
});
