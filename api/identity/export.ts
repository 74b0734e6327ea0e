import { Op } from 'sequelize';
import { EndedToken, User } from '../../shared/identity/tables';
import { profileView, type ProfileView } from '../../shared/identity/views';
import { inPages, type ExportPart } from '../export/part';
import { instant, object, text } from '../openapi/schema';
import { profileMembers } from './schemas';

/**
 * The account itself. Password and tokens are not told: they are secrets, not facts about a person.
 */

interface AccountExport extends ProfileView {
  readonly category: string;
}

export const accountExport = {
  schema: object<AccountExport>('AccountExport', { ...profileMembers, category: text }),
  async find(userId: number): Promise<AccountExport | null> {
    const user = await User.findByPk(userId);
    return user && { ...profileView(user), category: user.category };
  },
};

interface EndedTokenView {
  readonly tokenId: string;
  readonly expiresAt: string;
}

/** Tokens that the person signed out with, until they would have expired. */
export const identityExport: readonly ExportPart[] = [
  {
    name: 'endedTokens',
    schema: object<EndedTokenView>('EndedToken', { tokenId: text, expiresAt: instant }),
    rows: (userId) =>
      inPages(
        (limit, last: EndedToken | undefined) =>
          EndedToken.findAll({
            where: { userId, id: { [Op.gt]: last?.id ?? '' } },
            order: ['id'],
            limit,
          }),
        ({ id, expiresAt }): EndedTokenView => ({
          tokenId: id,
          expiresAt: expiresAt.toISOString(),
        }),
      ),
  },
];
