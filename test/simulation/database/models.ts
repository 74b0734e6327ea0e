import type { Model, ModelStatic } from 'sequelize';
import { Op } from 'sequelize';
import { connectDatabase } from '../../../shared/database/connect';
import { pipelineTables } from '../../../shared/database/tables';
import type { Connection, SimulatedDatabase } from './client';
import type { Row } from './sql';
import type { TableShape } from './transaction';

/**
 * The pipeline's tables as their models declare them, and stand-ins for what the models themselves
 * can do: they send the same statements as Sequelize would, by the database of the process whose
 * code runs.
 */

type AnyModel = ModelStatic<Model>;
type Where = Readonly<Record<string, unknown>>;

interface Options {
  readonly where?: Where;
  readonly attributes?: readonly string[];
  readonly group?: readonly string[];
  readonly order?: readonly string[];
  readonly limit?: number;
  readonly transaction?: Connection;
}

interface Declared {
  readonly field: string;
  readonly primaryKey?: boolean;
  readonly autoIncrement?: boolean;
  readonly allowNull?: boolean;
  readonly defaultValue?: unknown;
}

const declaredBy = (model: AnyModel) =>
  model.getAttributes() as unknown as Record<string, Declared>;

/** Unique keys that migrations add to the tables which the database numbers. */
const UNIQUE: Readonly<Record<string, string>> = { dead_letter: 'command_id' };

const COMPARISONS = new Map<symbol, string>([
  [Op.gt, '>'],
  [Op.lt, '<'],
]);

/** Initialises the models, as connecting would; nothing is ever connected to. */
export function declareModels(): TableShape[] {
  connectDatabase({ url: 'mysql://nobody@nowhere/nothing', poolMax: 1 });
  return pipelineTables.map((model: AnyModel) => {
    const columns = Object.values(declaredBy(model));
    const key = columns.find(({ primaryKey }) => primaryKey);
    if (!key) throw new Error(`${model.tableName} has no primary key`);
    return {
      name: model.tableName,
      key: UNIQUE[model.tableName] ?? key.field,
      number: key.autoIncrement ? key.field : null,
      required: columns
        .filter(({ allowNull, autoIncrement }) => allowNull === false && !autoIncrement)
        .map(({ field }) => field),
      defaults: Object.fromEntries(
        columns.map(({ field, defaultValue }) => [field, defaultValue ?? null]),
      ),
    };
  });
}

/** `database` gives that of the process whose code runs. */
export function serveModels(database: () => SimulatedDatabase): void {
  for (const model of pipelineTables as readonly AnyModel[]) {
    const declared = declaredBy(model);
    const field = (attribute: string) => declared[attribute]?.field ?? attribute;
    const toAttributes = (row: Row): Row =>
      Object.fromEntries(
        Object.entries(declared).flatMap(([attribute, { field: name }]) =>
          name in row ? [[attribute, row[name]]] : [],
        ),
      );
    const run = (sql: string, values: readonly unknown[], { transaction }: Options) =>
      database().query(sql, { replacements: values, ...(transaction && { transaction }) });
    const served = model as unknown as Record<
      'findAll' | 'destroy' | 'bulkCreate',
      (first: never, second: never) => Promise<unknown>
    >;

    served.findAll = async (options: Options) => {
      const { attributes = Object.keys(declared), group, order, limit } = options;
      const { sql: where, values } = conditions(options.where ?? {}, field);
      const more = [
        group && ` GROUP BY ${group.map(field).join()}`,
        order && ` ORDER BY ${order.map(field).join()}`,
        limit && ` LIMIT ${limit}`,
      ]
        .filter(Boolean)
        .join('');
      const [rows] = await run(
        `SELECT ${attributes.map(field).join(', ')} FROM ${model.tableName}${where}${more}`,
        values,
        options,
      );
      return (rows as Row[]).map(toAttributes);
    };

    served.destroy = async (options: Options) => {
      const { sql: where, values } = conditions(options.where ?? {}, field);
      return (await run(`DELETE FROM ${model.tableName}${where}`, values, options))[1];
    };

    served.bulkCreate = async (rows: readonly Row[], options: Options) => {
      if (rows.length === 0) return;
      const attributes = Object.keys(rows[0] ?? {});
      const tuples = rows.map(() => `(${attributes.map(() => '?').join(', ')})`).join(', ');
      const values = rows.flatMap((row) => attributes.map((attribute) => row[attribute]));
      await run(
        `INSERT IGNORE INTO ${model.tableName} (${attributes.map(field).join(', ')}) VALUES ${tuples}`,
        values,
        options,
      );
    };
  }
}

function conditions(
  where: Where,
  field: (attribute: string) => string,
): { readonly sql: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const parts = Object.entries(where).map(([attribute, wanted]) => {
    const [comparison] = Object.getOwnPropertySymbols(wanted ?? {});
    const given = comparison ? (wanted as Record<symbol, unknown>)[comparison] : wanted;
    values.push(...(Array.isArray(given) ? given : [given]));
    if (Array.isArray(given)) return `${field(attribute)} IN (${given.map(() => '?').join(', ')})`;
    return `${field(attribute)} ${(comparison && COMPARISONS.get(comparison)) ?? '='} ?`;
  });
  return { sql: parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '', values };
}
