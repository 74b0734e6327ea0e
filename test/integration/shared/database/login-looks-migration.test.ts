import { up } from '../../../../shared/database/migrations/0024-login-looks';
import { User } from '../../../../shared/identity/tables';
import { folded } from '../../../../shared/fields';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';

/** Accounts were made under any name before it was kept what names look like. */

const NAMES = [
  'admin',
  '\u0441\u043e\u0441\u043e',
  'coco',
  'ad\u200bmin',
  '\ubcf4\ub77c',
  'Zo\u00eb',
  'bill',
  'bi1l',
];

it.each(DIALECTS)(
  'keeps the look of each account once, and can be run again wherever it stopped (%s)',
  async (dialect) => {
    const database = await emptyDatabase(dialect);
    const query = database.getQueryInterface();
    await query.removeIndex('user', 'user_login_look');
    await query.removeColumn('user', 'login_look');
    const insert =
      'INSERT INTO `user` (id, username, role, login_name, created_at) VALUES (?, ?, ?, ?, ?)';
    const add = (id: number, name: string, login: string | null) =>
      database.query(insert, {
        replacements: [id, name, 'user', login, '2026-01-02 03:04:05.678'],
      });
    for (const [index, name] of NAMES.entries()) await add(index + 1, name, folded(name));
    await add(NAMES.length + 1, 'of a provider', null);
    // Dies before the index, and when it has kept no look yet.
    jest.spyOn(query, 'showIndex').mockRejectedValueOnce(new Error('killed'));
    await expect(up(query)).rejects.toThrow('killed');
    const transaction = jest
      .spyOn(database, 'transaction')
      .mockRejectedValueOnce(new Error('killed'));
    await expect(up(query)).rejects.toThrow('killed');
    transaction.mockRestore();
    await up(query);
    await up(query);
    const rows = await User.findAll({ order: ['id'] });
    expect(rows.map(({ loginLook }) => loginLook)).toEqual([
      'adrnin',
      'coco',
      null,
      null,
      '\ubcf4\ub77c'.normalize('NFD'),
      'zoe\u0308',
      'bill',
      null,
      null,
    ]);
  },
);
