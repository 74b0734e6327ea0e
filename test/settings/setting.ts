import type Joi from 'joi';

/** What a schema says of one variable, in words. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  /** Unit and bounds; empty when any text will do. */
  readonly bounds: string;
  /** What counts when it is not set; empty when nothing does. */
  readonly fallback: string;
  /** The value that may be written for it; empty when there is none. */
  readonly value: string;
  readonly programs: readonly string[];
}

interface Description {
  readonly type: string;
  readonly flags?: {
    readonly default?: string | number | boolean | readonly string[];
    readonly unit?: string;
    readonly description?: string;
    readonly presence?: string;
    readonly only?: boolean;
  };
  readonly rules?: readonly {
    readonly name: string;
    readonly args?: { readonly limit?: number; readonly sign?: string };
  }[];
  readonly allow?: readonly unknown[];
  readonly metas?: readonly { readonly fallback?: string; readonly embedded?: string }[];
}

const number = (value: number): string => value.toLocaleString('en-US');

function limits({ type, rules = [] }: Description): string {
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const has = (name: string) => rules.some((rule) => rule.name === name);
  if (has('port')) return 'port, 0 to 65,535';
  const [min, max] = [limitOf('min'), limitOf('max')];
  const least = min === undefined && has('sign') ? 'above 0' : '';
  const noun = type === 'string' ? ' characters' : '';
  if (min !== undefined && max !== undefined) return `${number(min)} to ${number(max)}${noun}`;
  if (min !== undefined) return `at least ${number(min)}${noun}`;
  return [least, max !== undefined && `at most ${number(max)}${noun}`].filter(Boolean).join(', ');
}

function boundsOf(description: Description): string {
  const { type, flags = {}, allow = [] } = description;
  if (type === 'boolean') return 'true or false';
  if (flags.only) return allow.join(', ');
  return [flags.unit, limits(description)].filter(Boolean).join(', ');
}

/** What the schema says; `programs`: who reads it. */
export function settingOf(name: string, schema: Joi.Schema, programs: readonly string[]): Setting {
  const description = schema.describe() as Description;
  const { flags = {}, metas = [] } = description;
  const { fallback, embedded } = Object.assign({}, ...metas) as {
    fallback?: string;
    embedded?: string;
  };
  const value = flags.default === undefined ? '' : [flags.default].flat().join(',');
  const usual =
    fallback ?? (value || (flags.presence === 'required' ? 'none, it must be set' : ''));
  return {
    name,
    description: flags.description ?? '',
    bounds: boundsOf(description),
    fallback: embedded ? [usual, `npm start: ${embedded}`].filter(Boolean).join('; ') : usual,
    value,
    programs,
  };
}
