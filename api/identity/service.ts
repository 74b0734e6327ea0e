import { tokenConfigOf, type ApiConfig } from '../config';
import { hasIdentityProvider } from '../http/security/token-rules';
import type { IdentityCommands } from '../../shared/identity/commands';
import type { ApiService } from '../service';
import { identityExport } from './export';
import { createLoginLimit } from './login-limit';
import type { CountsOf } from './profile-routes';
import { identityEndpoints } from './routes';
import { account, issuedReset, profile, user } from './schemas';
import { partitionsResize, workerChange } from '../console/schemas';
import { storedWebhook, webhookTest } from '../webhooks/schemas';
import { SignIns } from './sign-ins';
import { createSignupLimit } from './signup-limit';
import type { TokenIssuer } from './tokens';

/** `countsOf`: how much the other services have of a user. */
export const identityService = ({
  countsOf,
}: {
  readonly countsOf: CountsOf;
}): ApiService<keyof IdentityCommands> => ({
  endpoints: ({ config, exposure, counting, trail, now, logger }) =>
    identityEndpoints({
      tokenIssuer: tokenIssuerOf(config),
      changesFirstPassword: exposure.beyondLoopback,
      signIns: new SignIns({ limit: createLoginLimit(counting), trail, now, logger }),
      signupLimit: createSignupLimit({
        ...counting,
        perAddress: config.SIGNUPS_PER_ADDRESS,
        inAll: config.SIGNUPS_IN_ALL,
      }),
      countsOf,
    }),
  results: {
    'identity.create-account': account,
    'identity.ensure-user': null,
    'identity.change-password': null,
    'identity.end-token': null,
    'identity.update-profile': profile,
    'identity.update-user': user,
    'identity.erase-user': null,
    'identity.issue-password-reset': issuedReset,
    'identity.reset-password': null,
    'identity.read-notices': null,
    'identity.create-webhook': storedWebhook,
    'identity.update-webhook': storedWebhook,
    'identity.delete-webhook': null,
    'identity.test-webhook': webhookTest,
    'identity.resize-partitions': partitionsResize,
    'identity.drain-worker': workerChange,
    'identity.resume-worker': workerChange,
    'identity.probe': null,
  },
  exportParts: () => identityExport,
});

/** Null when tokens come from an identity provider. */
export function tokenIssuerOf(config: ApiConfig): TokenIssuer | null {
  if (hasIdentityProvider(tokenConfigOf(config)) || !config.JWT_SECRET) return null;
  return {
    secret: config.JWT_SECRET,
    lifetimeS: config.ACCESS_TOKEN_SECONDS,
    ...(config.JWT_ISSUER && { issuer: config.JWT_ISSUER }),
    ...(config.JWT_AUDIENCE && { audience: config.JWT_AUDIENCE }),
  };
}
