import type { KeptLayout } from '../../shared/database/layouts';
import type { Faults } from './faults';
import type { Judge } from './judge';
import type { Random } from './random';
import type { Scheduler } from './scheduler';

/** What every part of one simulation has in common. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly judge: Judge;
  /** Partitions of the service. */
  readonly layout: KeptLayout;
  /** Ends the simulation: something was wrong, with the product or with the simulation itself. */
  readonly fail: (reason: unknown) => void;
  /** Writes a line of the story of this simulation, when somebody wants to read it. */
  readonly tell: (line: () => string) => void;
}
