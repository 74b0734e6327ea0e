import { deadLetterSummary, shownContent } from '../../../shared/database/dead-letters';
import { CommandOutcome } from '../../../shared/database/tables';
import type { OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { deadLetterNamed } from './selection';

export const showDeadLetter: OpsCommand = {
  summary: 'Show one dead letter, with secrets masked',
  operands: ['LETTER'],
  options: { ...serversOption, json: { help: 'print it on one line' } },
  notes:
    'LETTER is a number from the list, or a command id. The answer to its sender is kept for a day.',
  async run(given) {
    const [name = ''] = given.operands;
    const found = await withDatabase(chooseInstallation(given.flag('servers')), async () => {
      const letter = await deadLetterNamed(name);
      const outcome = await CommandOutcome.findByPk(letter.commandId);
      return {
        ...deadLetterSummary(letter, new Date()),
        ...shownContent(letter.content),
        outcome: outcome ? (JSON.parse(outcome.ending) as unknown) : null,
      };
    });
    process.stdout.write(`${JSON.stringify(found, null, given.flag('json') ? 0 : 2)}\n`);
    return 0;
  },
};
