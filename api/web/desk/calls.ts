import { answered, client, type CallOptions, type Schemas } from '../shared/client';

/** The desk's calls of the API. */

export type Person = Schemas['UserAccount'];
export type Borrow = Schemas['Borrow'];

/** Most items that a page of the API has. */
const PAGE_MAX = 100;

const of = (userId: number) => ({ path: { userId } });

export const findPeople = (q: string, page: number) =>
  answered(client.request('GET', '/api/users', { query: { ...(q !== '' && { q }), page } }));

export const changePerson = (
  { userId, ...body }: { userId: number; status?: Person['status']; role?: Person['role'] },
  options: CallOptions,
) => client.request('PATCH', '/api/users/{userId}', { ...options, ...of(userId), body });
export const erasePerson = (userId: number, options: CallOptions) =>
  client.request('DELETE', '/api/users/{userId}', { ...options, ...of(userId) });
export const resetPassword = (userId: number, options: CallOptions) =>
  client.request('POST', '/api/users/{userId}/password-resets', { ...options, ...of(userId) });
export const exportPerson = (userId: number) =>
  answered(client.request('GET', '/api/users/{userId}/export', of(userId)));

export const loansOf = (userId: number) =>
  answered(
    client.request('GET', '/api/borrow-histories', {
      query: { userId, returned: false, size: PAGE_MAX },
    }),
  );
export const overdueLoans = (page: number) =>
  answered(client.request('GET', '/api/borrow-histories', { query: { overdue: true, page } }));

export const lend = (body: { barcode: string; userId: number }, options: CallOptions) =>
  client.borrows.create(body, options);
export const giveBack = (body: { barcode: string }, options: CallOptions) =>
  client.request('POST', '/api/returns', { ...options, body });

export interface AuditQuery {
  readonly action?: string;
  readonly target?: string;
  readonly page: number;
}
export const listAudit = (query: AuditQuery) =>
  answered(client.request('GET', '/api/audit', { query }));

const at = (webhookId: number) => ({ path: { webhookId } });

/** All of them: the service takes fewer than a page can have. */
export const listWebhooks = () =>
  answered(client.request('GET', '/api/webhooks', { query: { size: PAGE_MAX } }));
export const addWebhook = (body: { url: string; types: string[] }, options: CallOptions) =>
  client.request('POST', '/api/webhooks', { ...options, body });
export const removeWebhook = (webhookId: number, options: CallOptions) =>
  client.request('DELETE', '/api/webhooks/{webhookId}', { ...options, ...at(webhookId) });
export const testWebhook = (webhookId: number, options: CallOptions) =>
  client.request('POST', '/api/webhooks/{webhookId}/test', { ...options, ...at(webhookId) });
export const listDeliveries = (webhookId: number) =>
  answered(client.request('GET', '/api/webhooks/{webhookId}/deliveries', at(webhookId)));
