import type { ServiceName } from '../shared/services';
import type { WorkerService } from './batch/service/decision';
import { lendingRules, type RetentionConfig, type RuleConfig } from './config';
import { coursesBelongings } from './courses/belongings';
import { coursesService } from './courses/service';
import { identityService } from './identity/service';
import { lendingBelongings } from './lending/belongings';
import { oldBorrows } from './lending/old-borrows';
import { lendingService } from './lending/service';
import { unusedRows } from './lending/unused-rows';
import type { ServiceParts } from './pipeline';
import { postsService } from './posts/service';

/** The services of the workers, one line each. */
export const workerServices =
  (config: RuleConfig & RetentionConfig) =>
  ({ database, now, actors, lockRows }: ServiceParts): Record<ServiceName, WorkerService> => ({
    identity: identityService({
      belongings: [...lendingBelongings, ...coursesBelongings],
      lockRows,
      now,
    }),
    lending: lendingService({
      rules: lendingRules(config),
      usernameOf: (userId) => actors.usernameOf(userId),
      lockRows,
      jobs: [unusedRows(database), oldBorrows(database, now, config.HISTORY_RETENTION_DAYS)],
    }),
    posts: postsService({ lockRows }),
    courses: coursesService({ lockRows }),
  });
