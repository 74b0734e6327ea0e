import Joi from 'joi';
import { line } from '../../shared/fields';
import type { Endpoint, Input } from '../http/endpoint';
import { listAnswer, pageRules } from '../http/requests/paging';
import { queryForm, queryId, queryInstant } from '../http/requests/query-rules';
import { listed } from '../openapi/doc';
import { id, instant, nullable, object, text, type Schema } from '../openapi/schema';
import { findAudit, type AuditFilters, type AuditView } from './queries';

/** The audit, for administrators. Nothing changes it but time. */

const ACTION_FORM = /^[a-z][a-z-]{0,30}(?:\.[a-z][a-z-]{0,30})?$/;
const TARGET_LENGTH_MAX = 600;

const actor = object<NonNullable<AuditView['actor']>>('AuditActor', {
  userId: nullable(id),
  username: text,
});
const details: Schema<AuditView['details']> = {
  type: 'object',
  description:
    'The result, such as `status`, `code` and `commandId`, and the `payload` without secrets and with long texts cut off. `count`: how many like it the entry stands for.',
};
export const entry = object<AuditView>('AuditEntry', {
  auditId: id,
  at: instant,
  actor: nullable(actor),
  action: text,
  target: nullable(text),
  details,
  address: nullable(text),
  requestId: nullable(text),
});

const query = Joi.object({
  actor: queryId(),
  action: queryForm(
    ACTION_FORM,
    'an action or its first word, such as lending.update-book-info or identity',
  ),
  target: line(TARGET_LENGTH_MAX),
  from: queryInstant(),
  to: queryInstant(),
  ...pageRules(),
});

export function auditEndpoints(): Endpoint[] {
  return [
    {
      method: 'get',
      path: '/api/audit',
      who: 'admin',
      kind: 'read',
      query,
      doc: {
        id: 'listAudit',
        tag: 'Console',
        summary: 'Who did what to whom, from where',
        description: [
          'Every command of an administrator or lecturer, also one that was refused; changes of accounts;',
          'failed and blocked sign-ins; rate limits; and the commands of operators. The newest come first.',
          '`from` is inclusive, `to` is not. `actor` is the id of a user; operators have only a name.',
          'The entry of a command is written in the transaction of its change. Kept for',
          '`AUDIT_RETENTION_DAYS`.',
        ].join(' '),
        answers: listed(entry),
      },
      handle: async (input: Input<unknown, AuditFilters>) =>
        listAnswer(input, input.query, await findAudit(input.query)),
    },
  ];
}
