import type { Role } from '../command';
import type { Locale, UserStatus } from './commands';

/** The views that clients get. Workers' rows and queries' rows give the same view. */

export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly isAdmin: boolean;
  readonly status: UserStatus;
  readonly category: string;
  readonly email: string | null;
  readonly locale: Locale;
  readonly createdAt: Date;
}

/** Returns a user as administrators see them. */
export function userView(row: UserRow) {
  const { id: userId, username, role, isAdmin, status, category } = row;
  return {
    userId,
    username,
    role,
    isAdmin,
    status,
    category,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Returns a user as they see themselves. */
export function profileView(row: UserRow) {
  const { id: userId, username, role, isAdmin, status, email, locale } = row;
  return {
    userId,
    username,
    role,
    isAdmin,
    status,
    email,
    locale,
    createdAt: row.createdAt.toISOString(),
  };
}

export type UserView = ReturnType<typeof userView>;
export type ProfileView = ReturnType<typeof profileView>;
