import { audit } from './audit';
import type { OpsCommand } from './command';
import { importBooks } from './import-books';
import { migrateServers } from './migrate';
import { token } from './token';

/** The operator's commands, one line each. */
export const commands: Readonly<Record<string, OpsCommand>> = {
  migrate: migrateServers,
  token,
  'import-books': importBooks,
  audit,
};
