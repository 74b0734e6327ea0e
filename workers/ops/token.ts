import type { Role } from '../../shared/command';
import { ID_MAX } from '../../shared/fields';
import { identityFields, ROLES, userKey } from '../../shared/identity/commands';
import { signToken } from '../../shared/identity/token';
import { auditOnTheSide } from './audited';
import { UsageError, type OpsCommand } from './command';
import { chooseInstallation, serversOption, tokenKey } from './installation';

/** Longest life of a token made here: a year, in seconds. */
const EXPIRES_MAX_S = 365 * 24 * 3600;

function roleOf(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role) throw new UsageError(`Option --role must be one of ${ROLES.join(', ')}.`);
  return role;
}

function usernameOf(text: string): string {
  const checked = identityFields.username
    .label('Option --username')
    .validate(text, { errors: { wrap: { label: false } } });
  if (checked.error) throw new UsageError(`${checked.error.message}.`);
  return checked.value;
}

export const token: OpsCommand = {
  summary: 'Print a signed token for a user',
  options: {
    user: { value: 'ID', help: 'user id, 1 to 2^53 - 1; required' },
    username: { value: 'NAME', help: 'user name, 1 to 255 characters; required' },
    role: { value: 'ROLE', help: `${ROLES.join(' or ')} (default user)` },
    admin: { help: "make it an administrator's token" },
    expires: { value: 'SECONDS', help: 'lifetime in seconds, 1 to 31536000 (default 3600)' },
    ...serversOption,
    json: { help: 'print an object with accessToken, tokenType and expiresIn' },
  },
  notes:
    "Signed with JWT_SECRET, or else with the embedded data folder's secret. Only the token is printed on stdout.",
  async run(given) {
    const claims = {
      userId: given.integer('user', { min: 1, max: ID_MAX }),
      username: usernameOf(given.required('username')),
      role: roleOf(given.text('role') ?? 'user'),
      isAdmin: given.flag('admin'),
    };
    const expiresIn = given.integer('expires', { min: 1, max: EXPIRES_MAX_S, fallback: 3600 });
    const installation = chooseInstallation(given.flag('servers'));
    const accessToken = signToken(claims, tokenKey(installation), expiresIn);
    const { userId, role, isAdmin } = claims;
    await auditOnTheSide(installation, {
      action: 'ops.token',
      target: userKey(userId),
      facts: { role, isAdmin, expiresIn },
    });
    process.stdout.write(
      given.flag('json')
        ? `${JSON.stringify({ accessToken, tokenType: 'Bearer', expiresIn })}\n`
        : `${accessToken}\n`,
    );
    return 0;
  },
};
