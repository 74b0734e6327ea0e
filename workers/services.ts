import type { ServiceName } from '../shared/services';
import type { Actors } from './batch/actors';
import type { WorkerService } from './batch/decision';
import { coursesBelongings } from './courses/belongings';
import { coursesService } from './courses/service';
import { identityService } from './identity/service';
import { lendingBelongings } from './lending/belongings';
import type { LendingRules } from './lending/decided';
import { lendingService } from './lending/service';
import { postsService } from './posts/service';

export interface WorkerServicesOptions {
  readonly lendingRules: LendingRules;
  readonly actors: Actors;
  /**
   * Whether several workers may write at once, so that rows shared between partitions must be
   * locked.
   */
  readonly lockRows: boolean;
}

/** The services as the workers carry them out, one line each. */
export function workerServices({
  lendingRules,
  actors,
  lockRows,
}: WorkerServicesOptions): Record<ServiceName, WorkerService> {
  return {
    identity: identityService({
      belongings: [...lendingBelongings, ...coursesBelongings],
      lockRows,
    }),
    lending: lendingService({
      rules: lendingRules,
      usernameOf: (userId) => actors.usernameOf(userId),
      lockRows,
    }),
    posts: postsService({ lockRows }),
    courses: coursesService({ lockRows }),
  };
}
