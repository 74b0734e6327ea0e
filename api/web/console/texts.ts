import { inLanguage } from '../shared/in-language';
import { texts } from '../shared/texts';
import { englishConsole } from './texts-en';
import { koreanConsole } from './texts-ko';

/** Every text of the console. */
export const consoleTexts = inLanguage({ en: englishConsole, ko: koreanConsole });

/** Returns the plain name of a command. */
export function plainly(type: string | null, aggregate: string | null): string {
  const what = type === null ? consoleTexts.letters.unreadable : texts.pending.command(type);
  return aggregate === null ? what : `${what} (${aggregate})`;
}
