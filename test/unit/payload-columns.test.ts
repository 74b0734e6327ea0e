import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Joi from 'joi';
import { QueryTypes } from 'sequelize';
import { connectSqlite } from '../../shared/database/connect';
import { migrate } from '../../shared/database/migrate';
import { line } from '../../shared/fields';
import { serviceList } from '../../shared/services';
import { weakRules, type ColumnTypes } from '../support/check/payload-columns';
import { STORED_FIELDS } from '../support/check/stored-fields';
import { guests } from '../toy/shared/guests';

/** Whether each column stores all that the payload rules let through. */

const folder = mkdtempSync(join(tmpdir(), 'lendline-columns-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let types: ColumnTypes;
beforeAll(async () => {
  const database = connectSqlite(join(folder, 'lendline.sqlite'));
  await migrate(database, guests.migrations);
  const columns = await database.query<{ place: string; type: string }>(
    // SQLite keeps the types that migrations declare. A key that workers assign is a BIGINT on
    // MySQL.
    "SELECT m.name || '.' || c.name AS place, CASE WHEN c.pk AND c.type = 'INTEGER' THEN 'BIGINT' ELSE c.type END AS type FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table'",
    { type: QueryTypes.SELECT },
  );
  types = new Map(columns.map(({ place, type }) => [place, type]));
  await database.close();
});

it('the payload rules let through what the columns of their fields store', () => {
  expect(
    weakRules({ ...serviceList, guests }, { ...STORED_FIELDS, guests: TOY_FIELDS }, types),
  ).toEqual([]);
});

const TOY_FIELDS = { name: ['guest_entry.name'] };

describe.each<[string, Joi.Schema, readonly string[], string]>([
  [
    'a text that is too long',
    line(101),
    ['guest_entry.name'],
    'guests.sign: name takes a text of 101 characters, but guest_entry.name stores texts of 100 characters.',
  ],
  [
    'a choice that is too long',
    Joi.string().valid('reminded', 'overlooked'),
    ['book_user.reminder'],
    'guests.sign: name takes "overlooked", but book_user.reminder stores texts of 8 characters.',
  ],
  [
    'a number that is too large',
    Joi.number().integer().min(0),
    ['course_video.duration_seconds'],
    'guests.sign: name takes 2147483648, but course_video.duration_seconds stores integers of 32 bits.',
  ],
  [
    'a fraction',
    Joi.number().min(0).max(10),
    ['courses.capacity'],
    'guests.sign: name takes 1.5, but courses.capacity stores integers of 64 bits.',
  ],
  [
    'an instant that is too late',
    Joi.number().integer().min(0),
    ['ended_token.expires_at'],
    'guests.sign: name takes 253402300800000, but ended_token.expires_at stores instants up to the year 9999.',
  ],
  [
    'more bytes than a long text has',
    Joi.string().max(6_000_000),
    ['post.content'],
    'guests.sign: name takes a text of 5592406 characters, but post.content stores texts of 16777215 bytes.',
  ],
  [
    'nothing that was tried',
    Joi.string().pattern(/^#[a-f]{3}$/),
    ['guest_entry.name'],
    'guests.sign: name takes none of the values that were tried for guest_entry.name. Add a form to FORMS.',
  ],
])('a rule that takes %s', (_, name, columns, sentence) => {
  it('is reported', () => {
    const weak = { payloads: { 'guests.sign': Joi.object({ name }) } };
    expect(weakRules({ guests: weak }, { guests: { name: columns } }, types)).toEqual([sentence]);
  });
});
