import type { QueryInterface } from 'sequelize';
import { partitionNames } from '../../messaging/topology';
import { createTable, dialectOf } from './dialect';

/**
 * Moves the number of partitions from the settings to a table of layouts, so that it can change.
 */
export async function up(query: QueryInterface): Promise<void> {
  const ignore = dialectOf(query).sqlite ? 'OR IGNORE' : 'IGNORE';
  await createTable(query, {
    name: 'partition_layout',
    columns: [
      'generation INTEGER NOT NULL PRIMARY KEY',
      'partitions INTEGER NOT NULL',
      'drained BOOLEAN NOT NULL',
    ],
  });
  const [rows] = await query.sequelize.query(
    `SELECT value FROM setting WHERE name = 'command_partitions'`,
  );
  for (const { value } of rows as { value: string }[]) {
    const layout = { generation: 1, partitions: Number(value) };
    // Workers made these rows at their start, but none may have run yet.
    for (const name of partitionNames(['identity', 'lending', 'posts', 'courses'], layout)) {
      await query.sequelize.query(
        `INSERT ${ignore} INTO partition_owner (partition_name, epoch, owner, batches) VALUES (?, 0, '', 0)`,
        { replacements: [name] },
      );
    }
    await query.sequelize.query(
      `INSERT ${ignore} INTO partition_layout (generation, partitions, drained) VALUES (1, ?, 0)`,
      { replacements: [layout.partitions] },
    );
  }
  await query.sequelize.query(`DELETE FROM setting WHERE name = 'command_partitions'`);
}
