import type { ServiceName } from '../shared/services';
import { coursesService } from './courses/service';
import { countTakenCourses } from './courses/queries';
import { identityService } from './identity/service';
import { countOpenBorrows } from './lending/borrow-queries';
import { countOpenHolds } from './lending/hold-queries';
import { lendingService } from './lending/service';
import { postsService } from './posts/service';
import { countUnreadNotices } from './notices/queries';
import type { ApiService } from './service';

const identity = identityService({
  async countsOf(userId) {
    const counted = [
      countOpenBorrows(userId),
      countOpenHolds(userId),
      countTakenCourses(userId),
      countUnreadNotices(userId),
    ] as const;
    const [openBorrows, holds, courses, notices] = await Promise.all(counted);
    return { openBorrows, holds, courses, notices };
  },
});

/** The services as the API serves them. */
const served: Readonly<Record<ServiceName, ApiService>> = {
  identity,
  lending: lendingService,
  posts: postsService,
  courses: coursesService,
};

export const apiServices: readonly ApiService[] = Object.values(served);
