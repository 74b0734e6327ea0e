import { adminTexts } from './texts';

/** Reads the text of a file, and guesses its encoding from its bytes. */

const decoded = (bytes: ArrayBuffer, label: string): string | null => {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

export interface FileText {
  readonly text: string;
  /** It is no UTF-8, and was read as this; null when it is. */
  readonly guess: string | null;
}

/** What Korean programs write unless asked for UTF-8; browsers read all of CP949 by this name. */
const GUESS = { label: 'euc-kr', name: 'EUC-KR (CP949)' };

/** @throws Error with a sentence for people, for a file that is neither. */
export function fileText(bytes: ArrayBuffer): FileText {
  const text = decoded(bytes, 'utf-8');
  if (text !== null) return { text, guess: null };
  const guessed = decoded(bytes, GUESS.label);
  if (guessed === null) throw new Error(adminTexts.unknownEncoding);
  return { text: guessed, guess: GUESS.name };
}
