import { auditExport } from './audit/export';
import { auditEndpoints } from './audit/routes';
import { webhookParts } from '../shared/webhooks/parts';
import type { Now } from '../shared/database/clock';
import { commandsExport } from './commands/export';
import type { ApiConfig } from './config';
import { exportEndpoints } from './export/routes';
import type { Endpoint } from './http/endpoint';
import { accountExport } from './identity/export';
import { noticesExport } from './notices/export';
import { noticeEndpoints } from './notices/routes';
import type { JsonSchema } from './openapi/schema';
import type { ApiServices } from './service';
import { webhookEndpoints } from './webhooks/routes';

export interface SharedEndpointsOptions extends ApiServices {
  readonly config: ApiConfig;
  readonly now: Now;
}

/** Endpoints that belong to no service. `results`: what commands come to. */
export async function sharedEndpoints(
  { services: { eventTypes }, apiServices, config, now }: SharedEndpointsOptions,
  results: readonly JsonSchema[],
): Promise<Endpoint[]> {
  const parts = [
    ...apiServices.flatMap((service) => service.exportParts?.(now) ?? []),
    ...noticesExport,
    ...commandsExport(results),
    ...auditExport,
  ];
  return [
    ...noticeEndpoints,
    ...webhookEndpoints({ ...(await webhookParts(config)), eventTypes }),
    ...exportEndpoints({ parts, account: accountExport, now }),
    ...auditEndpoints(),
  ];
}
