import { CommandOutcome } from '../../../shared/database/tables';
import type { OpsCommand } from '../command';
import { chooseInstallation, serversOption, withDatabase } from '../installation';
import { summaryOf } from './list';
import { letterNamed } from './selection';

/** Members whose values are nobody's business, wherever they stand. */
const SECRET = /password|secret|token|hash|credential/i;
const MASK = '***';
/** The same in text that is no JSON, where a value may be cut off. */
const SECRET_TEXT = /("[^"]*(?:password|secret|token|hash|credential)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^,}\s]+)/gi;
/** How much of a message that cannot be read is shown, characters. */
const TEXT_SHOWN = 4000;

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRET.test(name) && member !== null ? MASK : masked(member)]));
}

/** The content of a letter, without secrets: the message as JSON, or else its text. */
function shownContent(content: string): { readonly message: unknown } | { readonly text: string } {
  try {
    return { message: masked(JSON.parse(content)) };
  } catch {
    return { text: content.slice(0, TEXT_SHOWN).replace(SECRET_TEXT, `$1"${MASK}"`) };
  }
}

export const showDeadLetter: OpsCommand = {
  summary: 'Show one dead letter whole, secrets masked',
  operands: ['LETTER'],
  options: { ...serversOption, json: { help: 'print it on one line' } },
  notes: 'LETTER is a number from the list, or a command id. The answer of its sender is shown as long as it is kept: a day.',
  async run(given) {
    const [name = ''] = given.operands;
    const found = await withDatabase(chooseInstallation(given.flag('servers')), async () => {
      const letter = await letterNamed(name);
      const outcome = await CommandOutcome.findByPk(letter.commandId);
      return { ...summaryOf(letter, new Date()), ...shownContent(letter.content), outcome: outcome ? (JSON.parse(outcome.ending) as unknown) : null };
    });
    process.stdout.write(`${JSON.stringify(found, null, given.flag('json') ? 0 : 2)}\n`);
    return 0;
  },
};
