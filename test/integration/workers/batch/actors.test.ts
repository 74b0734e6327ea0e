import type { Sequelize } from 'sequelize-typescript';
import type { Actor } from '../../../../shared/command';
import { User } from '../../../../shared/identity/tables';
import { borrow } from '../../../support/models/lending/commands';
import { Rig } from './rig';
import { DIALECTS, emptyDatabase } from '../../../support/servers/database';
import { newTitle, newUser, storedOutcomes } from './rows';

describe.each(DIALECTS)('the sender of a command on %s', (dialect) => {
  let database: Sequelize;
  beforeAll(async () => {
    database = await emptyDatabase(dialect);
  });

  const administrator = (more: Partial<Actor> = {}): Actor => {
    const userId = newUser();
    return { userId, username: `user-${userId}`, role: 'user', isAdmin: true, ...more };
  };

  async function sentBy(actor: Actor) {
    const rig = new Rig({ database });
    const { bookInfoId } = await newTitle(rig, 1);
    const command = { ...borrow(actor.userId ?? 0, bookInfoId), actor };
    await rig.process([command]);
    const [outcome] = await storedOutcomes([command]);
    return { outcome, row: await User.findByPk(actor.userId ?? 0, { raw: true }) };
  }

  it('gets no row from a token of a sign-in: a deleted account stays deleted', async () => {
    const { outcome, row } = await sentBy(administrator({ isIssued: true }));
    expect(JSON.stringify(outcome)).toContain('TOKEN_REVOKED');
    expect(row).toBeNull();
  });

  it('gets a row from any other valid token', async () => {
    const actor = administrator();
    const { outcome, row } = await sentBy(actor);
    expect(JSON.stringify(outcome)).not.toContain('TOKEN_REVOKED');
    expect(row).toMatchObject({ id: actor.userId, username: actor.username });
  });
});
