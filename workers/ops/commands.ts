import { audit } from './audit';
import type { OpsCommand } from './command';
import { importBooks } from './imports/import-books';
import { importCourses } from './imports/import-courses';
import { importPosts } from './imports/import-posts';
import { migrateServers } from './migrate';
import { token } from './token';

/** The operator's commands, one line each. */
export const commands: Readonly<Record<string, OpsCommand>> = {
  migrate: migrateServers,
  token,
  'import-books': importBooks,
  'import-posts': importPosts,
  'import-courses': importCourses,
  audit,
};
