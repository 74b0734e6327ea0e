import { statfs } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { fault, ok, warning, type Finding } from './finding';

/** Free space below which somebody should look, bytes. */
const FREE_MIN_BYTES = 1024 ** 3;

/**
 * Examines the embedded default's folder: free space on its disk, and whether the file is intact.
 */
export async function examineDataFolder(database: Sequelize, folder: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(folder);
  const room = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB free in ${folder}`;
  const [row] = await database.query<{ quick_check: string }>('PRAGMA quick_check(1)', {
    type: QueryTypes.SELECT,
  });
  return [
    bavail * bsize >= FREE_MIN_BYTES
      ? ok('disk', room)
      : warning('disk', room, 'Free some space. Commands are refused when the disk is full.'),
    row?.quick_check === 'ok'
      ? ok('file', 'whole')
      : fault(
          'file',
          row?.quick_check ?? 'cannot be read',
          'Restore a backup: docs/operating/back-up-and-restore.md.',
        ),
  ];
}
