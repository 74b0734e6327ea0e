import { bodyOf, type FoundOperation } from '../document/open-api';

/**
 * Bodies within the greatest size that cost a careless server most: to check, and to tell what is
 * wrong with them.
 */

/** Just below the greatest size of a body, bytes. */
const SIZE = 1024 * 1024 - 1000;
const repeated = (text: string, length = SIZE): string =>
  text.repeat(Math.floor(length / Buffer.byteLength(text)));
const list = (item: string): string => `[${repeated(`${item},`)}${item}]`;

const TEXTS = ['a', ' ', '9', '\u0301', '👍', 'ﷺ', '-', 'http://', '%'].map((text) =>
  JSON.stringify(repeated(text)),
);
const LISTS = ['""', '"a"', '","', '1', 'null', '[]', '{}', `"${'x'.repeat(60)}"`, '" a  b "'].map(
  list,
);
const NESTED = [
  '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2),
  `${repeated('{"a":', SIZE - 200_000)}1${'}'.repeat(Math.floor((SIZE - 200_000) / 5))}`,
];

/** Bodies for an operation, by what they are. */
export function hostileBodies({ operation }: FoundOperation): Readonly<Record<string, string>> {
  const schema = bodyOf(operation);
  const fields = Object.keys(schema?.['properties'] ?? {});
  const unknown = Array.from({ length: 90_000 }, (_, index) => `"k${index}":0`);
  const bodies: Record<string, string> = {
    'unknown fields': `{${unknown.join(',')}}`,
    'a long name': `{"${repeated('k', SIZE - 10)}":0}`,
    'long names': `{${Array.from({ length: 60 }, (_, index) => `"${index}${'k'.repeat(15_000)}":0`).join(',')}}`,
  };
  for (const field of [...fields, 'unknown']) {
    [...TEXTS, ...LISTS, ...NESTED].forEach(
      (value, index) =>
        (bodies[`${field} ${index}: ${value.slice(0, 12)}`] = `{"${field}":${value}}`),
    );
  }
  return bodies;
}
