import { User } from '../../shared/identity/tables';
import { signToken } from '../../shared/identity/token';
import { OpsError } from './command';
import { tokenKey, withDatabase, type Installation } from './installation';

/** Life of a token that a command makes for itself, seconds. */
const LIFE_S = 600;
/** A token with less left than this is replaced, milliseconds; no request takes longer. */
const RENEWED_BEFORE_MS = 120_000;

/**
 * Resolves to a function that gives a valid token of an installation's first administrator, made
 * anew when the last one runs out. An existing account is used, because a token of an unknown one
 * would make a user.
 * @throws OpsError when there is no secret or no administrator.
 */
export async function administratorToken(installation: Installation): Promise<() => string> {
  const key = tokenKey(installation);
  const user = await withDatabase(installation, () =>
    User.findOne({ where: { isAdmin: true }, order: [['id', 'ASC']] }),
  );
  if (!user)
    throw new OpsError(
      'There is no administrator yet. Create one with ADMIN_USERNAME and ADMIN_PASSWORD, or give --token.',
    );
  const { id, username, role, tokenGeneration: generation } = user;
  let token = '';
  let endsAt = 0;
  return () => {
    if (Date.now() > endsAt - RENEWED_BEFORE_MS) {
      token = signToken({ userId: id, username, role, isAdmin: true, generation }, key, LIFE_S);
      endsAt = Date.now() + LIFE_S * 1000;
    }
    return token;
  };
}
