import { inLanguage } from './in-language';
import { english } from './texts-en';
import { korean } from './texts-ko';

export { shownDay } from './format';

/** Every text that is not of one page alone. */
export const texts = inLanguage({ en: english, ko: korean });
