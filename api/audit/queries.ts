import { Op, type WhereOptions } from 'sequelize';
import { Audit } from '../../shared/audit/tables';
import { limitsOf, type Page } from '../http/requests/paging';
import { countUpTo, withTotal, type Found } from '../reads/found';

/** The queries of the audit. */

export interface AuditFilters extends Page {
  /** A user's id. */
  readonly actor?: number;
  /** An action, or the words that it begins with. */
  readonly action?: string;
  readonly target?: string;
  /** From this instant on. */
  readonly from?: Date;
  /** Before this instant. */
  readonly to?: Date;
}

export interface AuditView {
  readonly auditId: number;
  readonly at: string;
  readonly actor: { readonly userId: number | null; readonly username: string } | null;
  readonly action: string;
  readonly target: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Returns an entry as administrators see it. */
export function shownEntry({
  id,
  at,
  actorId,
  actorName,
  action,
  target,
  details,
  address,
  requestId,
}: Audit): AuditView {
  const actor =
    actorId === null && actorName === null ? null : { userId: actorId, username: actorName ?? '' };
  const told = JSON.parse(details) as AuditView['details'];
  return {
    auditId: id,
    at: at.toISOString(),
    actor,
    action,
    target,
    details: told,
    address,
    requestId,
  };
}

function conditionsOf({ actor, action, target, from, to }: AuditFilters): WhereOptions[] {
  const conditions: WhereOptions[] = [];
  if (actor !== undefined) conditions.push({ actorId: actor });
  // The form of an action has no character that LIKE reads otherwise.
  if (action !== undefined)
    conditions.push({ action: { [Op.or]: [action, { [Op.like]: `${action}.%` }] } });
  if (target !== undefined) conditions.push({ target });
  if (from) conditions.push({ at: { [Op.gte]: from } });
  if (to) conditions.push({ at: { [Op.lt]: to } });
  return conditions;
}

/** Entries of the audit, the newest first. */
export async function findAudit(filters: AuditFilters): Promise<Found<AuditView>> {
  const where = { [Op.and]: conditionsOf(filters) };
  const rows = await Audit.findAll({
    where,
    order: [
      ['at', 'DESC'],
      ['id', 'DESC'],
    ],
    ...limitsOf(filters),
  });
  return withTotal(filters, rows.map(shownEntry), () => countUpTo(Audit, where));
}
