import { REFUSAL_IDS } from '../../shared/command';
import { arrayOf, count, id, object, text, type JsonSchema, type Schema } from './schema';

/** How problems look. */

const pointer: JsonSchema = {
  type: 'string',
  pattern: '^#(/.*)?$',
  description: 'Of a field of the body: RFC 6901, as a fragment.',
};
const closedFault = object(
  'Fault',
  { field: text, code: text, message: text },
  { field: 'page', code: 'OUT_OF_RANGE', message: 'page must be at least 1' },
);
const fault: JsonSchema = {
  ...closedFault,
  properties: { ...closedFault.properties, pointer },
};

const base = object('Problem', {
  type: { type: 'string', pattern: '^/problems/[A-Z_]+$' },
  title: text,
  status: count,
  code: text,
  detail: text,
  requestId: text,
});

/** RFC 9457. */
export const problem: JsonSchema = {
  ...base,
  description:
    'RFC 9457. `type` is the path of a page that says what to do. `code` is stable; `detail` is a sentence for people. `errors` names every fault of a request that is not valid; ids name what stands in the way; `commandId` names a command that may have been accepted.',
  properties: {
    ...base.properties,
    errors: arrayOf(fault as Schema<unknown>),
    'violated-policies': arrayOf(text),
    commandId: text,
    borrowIds: arrayOf(id),
    ...Object.fromEntries(REFUSAL_IDS.map((name) => [name, id])),
  },
  examples: [
    {
      type: '/problems/OUT_OF_STOCK',
      title: 'No copy is available',
      status: 409,
      code: 'OUT_OF_STOCK',
      detail: 'No copy of book info 42 is available.',
      requestId: '0b1c',
      bookInfoId: 42,
    },
  ],
};
