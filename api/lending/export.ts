import { Op } from 'sequelize';
import type { Now } from '../../shared/database/clock';
import { BookHold, BookUser } from '../../shared/lending/tables';
import { behind, inPages, type ExportPart } from '../export/part';
import { holdAttributes, shownHold, type StoredHold } from './hold-queries';
import { borrowAttributes, loanView, withReader, type StoredBorrow } from './rows';
import { borrow, hold } from './borrow-schemas';

/** Returns what lending has about a person. `now` decides what is overdue. */
export function lendingExport(now: Now): ExportPart[] {
  const borrows: ExportPart = {
    name: 'borrows',
    schema: borrow,
    rows: (userId) =>
      inPages(
        async (limit, last: StoredBorrow | undefined) => {
          const where = { [Op.and]: [{ userId }, behind('borrowedAt', last)] };
          const rows = await BookUser.findAll({
            attributes: borrowAttributes,
            include: withReader,
            where,
            order: ['borrowedAt', 'id'],
            limit,
            raw: true,
          });
          return rows as unknown as StoredBorrow[];
        },
        (row) => loanView(row, now()),
      ),
  };
  const holds: ExportPart = {
    name: 'holds',
    schema: hold,
    rows: (userId) =>
      inPages(async (limit, last: StoredHold | undefined) => {
        const where = { [Op.and]: [{ userId }, behind('placedAt', last)] };
        const rows = await BookHold.findAll({
          attributes: holdAttributes,
          include: withReader,
          where,
          order: ['placedAt', 'id'],
          limit,
          raw: true,
        });
        return rows as unknown as StoredHold[];
      }, shownHold),
  };
  return [borrows, holds];
}
