import { Op, type WhereOptions } from 'sequelize';
import { Audit } from '../../shared/audit/tables';
import { userKey } from '../../shared/identity/commands';
import { behind, inPages, type ExportPart } from '../export/part';
import { shownEntry, type AuditView } from './queries';
import { entry } from './routes';

const read = (where: WhereOptions, view: (row: Audit) => AuditView) =>
  inPages(
    (limit, last: Audit | undefined) =>
      Audit.findAll({
        where: { [Op.and]: [where, behind('at', last)] },
        order: ['at', 'id'],
        limit,
      }),
    view,
  );

/**
 * Leaves out who did something to the person, and from which address, because that is about
 * somebody else.
 */
const withoutActor = (row: Audit): AuditView => ({
  ...shownEntry(row),
  actor: null,
  address: row.actorId === null ? row.address : null,
});

/** What the audit has about a person: what they did, and what was done to their account. */
export const auditExport: readonly ExportPart[] = [
  { name: 'audit', schema: entry, rows: (actorId) => read({ actorId }, shownEntry) },
  {
    name: 'auditOfAccount',
    schema: entry,
    rows: (userId) =>
      read(
        { target: userKey(userId), actorId: { [Op.or]: [null, { [Op.ne]: userId }] } },
        withoutActor,
      ),
  },
];
