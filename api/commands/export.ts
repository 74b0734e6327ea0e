import { Op } from 'sequelize';
import { endingOf } from '../../shared/database/ending';
import { CommandOutcome } from '../../shared/database/tables';
import { inPages, type ExportPart } from '../export/part';
import { endedJson } from './result';
import { commandState } from './schemas';

const shown = ({
  commandId,
  type,
  ownerId,
  requestId,
  createdAt,
  completedAt,
  ending,
}: CommandOutcome): object => {
  const times = { createdAt: createdAt.getTime(), completedAt: completedAt.getTime() };
  return JSON.parse(
    endedJson({ commandId, type, ownerId, requestId, ...times, ending: endingOf(ending) }),
  ) as object;
};

/** What a person has sent, and what came of it. */
export const commandsExport: readonly ExportPart[] = [
  {
    name: 'commands',
    schema: commandState,
    rows: (ownerId) =>
      inPages(
        (limit, last: CommandOutcome | undefined) =>
          CommandOutcome.findAll({
            where: { ownerId, commandId: { [Op.gt]: last?.commandId ?? '' } },
            order: ['commandId'],
            limit,
          }),
        shown,
      ),
  },
];
