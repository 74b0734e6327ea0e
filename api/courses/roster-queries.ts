import {
  col,
  literal,
  Op,
  type Includeable,
  type ProjectionAlias,
  type WhereOptions,
} from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { SubscriptionStatus } from '../../shared/courses/commands';
import { CourseWait, UserCourse } from '../../shared/courses/tables';
import { waitView, type RosterView, type WaitView } from '../../shared/courses/views';
import { User } from '../../shared/identity/tables';
import { limitsOf, type Page } from '../http/requests/paging';
import { contains } from '../reads/contains';
import { countUpTo, withTotal, type Found } from '../reads/found';
import type { StoredInstant } from '../reads/stored';
import {
  shownSubscription,
  subscriptionAttributes,
  withCourse,
  type StoredSubscription,
} from './rows';

/** What lecturers ask of the database about those who take their courses, or wait for them. */

const withUser: Includeable = { model: User, as: 'user', attributes: [], required: false };

export interface RosterSearch extends Page {
  readonly status: SubscriptionStatus | 'all';
  /** A part of the username. */
  readonly q?: string;
}

type StoredRosterEntry = StoredSubscription & { readonly username: string };

/** Returns the subscriptions to a course, the latest first. */
export async function findRoster(
  database: Sequelize,
  courseId: number,
  { status, q, ...page }: RosterSearch,
): Promise<Found<RosterView>> {
  const named =
    q === undefined
      ? undefined
      : literal(
          `\`UserCourse\`.\`user_id\` IN (SELECT id FROM \`user\` WHERE ${contains(database, 'LOWER(username)', q.toLowerCase())})`,
        );
  const where: WhereOptions = {
    courseId,
    ...(status !== 'all' && { status }),
    ...(named && { [Op.and]: named }),
  };
  const rows = await UserCourse.findAll({
    attributes: [
      ...(subscriptionAttributes as (string | ProjectionAlias)[]),
      [col('user.username'), 'username'],
    ],
    include: [withCourse, withUser],
    where,
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(page),
    raw: true,
  });
  const items = (rows as unknown as StoredRosterEntry[]).map((row) => ({
    ...shownSubscription(row),
    username: row.username,
  }));
  return withTotal(page, items, () => countUpTo(UserCourse, where));
}

interface StoredWait {
  readonly courseId: number;
  readonly userId: number;
  readonly username: string;
  readonly createdAt: StoredInstant;
}

/** Returns the users who wait for a course, in order. */
export async function findWaitlist(courseId: number, page: Page): Promise<Found<WaitView>> {
  const limits = limitsOf(page);
  const rows = await CourseWait.findAll({
    attributes: ['courseId', 'userId', 'createdAt', [col('user.username'), 'username']],
    include: withUser,
    where: { courseId },
    order: ['placeNo'],
    ...limits,
    raw: true,
  });
  const items = (rows as unknown as StoredWait[]).map((row, index) =>
    waitView({ ...row, createdAt: new Date(row.createdAt) }, limits.offset + index + 1),
  );
  return withTotal(page, items, () => countUpTo(CourseWait, { courseId }));
}
