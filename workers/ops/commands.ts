import { accountsMysql } from './accounts/mysql';
import { accountsRabbitmq } from './accounts/rabbitmq';
import { audit } from './audit';
import { withCompletion } from './completion';
import { discardDeadLetters } from './dead-letters/discard';
import { listDeadLetters } from './dead-letters/list';
import { replayDeadLetters } from './dead-letters/replay';
import { showDeadLetter } from './dead-letters/show';
import { doctor } from './doctor/doctor';
import { exportBooks } from './exports/export-books';
import { exportBorrows } from './exports/export-borrows';
import { exportCourses } from './exports/export-courses';
import { exportPosts } from './exports/export-posts';
import { importBooks } from './imports/import-books';
import { importCourses } from './imports/import-courses';
import { importPosts } from './imports/import-posts';
import { migrateServers } from './migrate';
import { listPartitions } from './partitions/list';
import { resizePartitions } from './partitions/resize';
import { seed } from './seed/seed';
import { token } from './token';

/** The operator's commands, one line each. */
export const commands = withCompletion({
  migrate: migrateServers,
  'accounts mysql': accountsMysql,
  'accounts rabbitmq': accountsRabbitmq,
  token,
  'import-books': importBooks,
  'import-posts': importPosts,
  'import-courses': importCourses,
  'export-books': exportBooks,
  'export-posts': exportPosts,
  'export-courses': exportCourses,
  'export-borrows': exportBorrows,
  seed,
  audit,
  doctor,
  'dead-letters list': listDeadLetters,
  'dead-letters show': showDeadLetter,
  'dead-letters replay': replayDeadLetters,
  'dead-letters discard': discardDeadLetters,
  'partitions list': listPartitions,
  'partitions resize': resizePartitions,
});
