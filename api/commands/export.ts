import { Op } from 'sequelize';
import { endingOf } from '../../shared/database/ending';
import { CommandOutcome } from '../../shared/database/tables';
import { inPages, type ExportPart } from '../export/part';
import { endedJson } from './result';
import type { JsonSchema } from '../openapi/schema';
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

/** Exports what a person has sent, with the results. `results`: the schemas of results. */
export const commandsExport = (results: readonly JsonSchema[]): readonly ExportPart[] => [
  {
    name: 'commands',
    schema: commandState(results),
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
