import { Op, type FindAttributeOptions, type WhereOptions } from 'sequelize';
import type { Role } from '../../shared/command';
import { folded } from '../../shared/fields';
import type { UserStatus } from '../../shared/identity/commands';
import { User } from '../../shared/identity/tables';
import {
  profileView,
  userView,
  type ProfileView,
  type UserRow,
  type UserView,
} from '../../shared/identity/views';
import { limitsOf, type Page } from '../http/requests/paging';
import type { Sort } from '../http/requests/query-rules';
import { countUpTo, withTotal, type Found } from '../reads/found';
import type { StoredInstant } from '../reads/stored';

/** What reads of users ask of the database. */

export const USER_SORTS = ['createdAt', 'username'] as const;

export interface UserSearch extends Page {
  /** How the name begins. */
  readonly q?: string;
  readonly role?: Role;
  readonly isAdmin?: boolean;
  readonly status?: UserStatus;
  readonly sort: Sort<(typeof USER_SORTS)[number]>;
}

const attributes: FindAttributeOptions = [
  'id',
  'username',
  'role',
  'isAdmin',
  'status',
  'category',
  'email',
  'locale',
  'createdAt',
];

type StoredUser = Omit<UserRow, 'createdAt' | 'isAdmin'> & {
  readonly createdAt: StoredInstant;
  readonly isAdmin: boolean | number;
};

const rowOf = (row: StoredUser): UserRow => ({
  ...row,
  isAdmin: Boolean(row.isAdmin),
  createdAt: new Date(row.createdAt),
});

/**
 * No character comes after it, so every text that begins with a prefix is below the prefix and
 * this.
 */
const LAST_CHARACTER = '\u{10ffff}';
const beginsWith = (prefix: string) => ({
  [Op.between]: [prefix, prefix + LAST_CHARACTER] as [string, string],
});

/** Returns the condition for a name. A user of an identity provider has no folded name. */
function named(q: string): WhereOptions {
  return {
    [Op.or]: [{ loginName: beginsWith(folded(q)) }, { loginName: null, username: beginsWith(q) }],
  };
}

export async function findUsers(search: UserSearch): Promise<Found<UserView>> {
  const { q, role, isAdmin, status, sort } = search;
  const filters = {
    erasedAt: null,
    ...(role && { role }),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(status && { status }),
  };
  const where: WhereOptions = { [Op.and]: [filters, ...(q === undefined ? [] : [named(q)])] };
  const direction = sort.descending ? 'DESC' : 'ASC';
  const order = [sort.field, 'id'].map((attribute): [string, string] => [attribute, direction]);
  const rows = await User.findAll({ attributes, where, order, ...limitsOf(search), raw: true });
  const items = (rows as unknown as StoredUser[]).map((row) => userView(rowOf(row)));
  return withTotal(search, items, () => countUpTo(User, where));
}

/** How many things of the services a user has. */
export interface ProfileCounts {
  readonly openBorrows: number;
  readonly holds: number;
  readonly courses: number;
  /** Those that are not read. */
  readonly notices: number;
}

/** Returns a user as they see themselves, null when there is no such user. */
export async function findProfile(userId: number): Promise<ProfileView | null> {
  const row = await User.findByPk(userId, { attributes, raw: true });
  return row && profileView(rowOf(row));
}
