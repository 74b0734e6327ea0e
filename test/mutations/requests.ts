import type { Mutation } from './mutation';

const UNIT = 'test/unit/http';

/** What keeps one request, or one connection, from costing the others much. */
export const requestMutations: readonly Mutation[] = [
  {
    guard: 'a list that is too long is not checked item by item',
    file: 'api/http/requests/validate.ts',
    find: 'if (tooMuch.length > 0) {',
    replace: 'if (tooMuch.length > Infinity) {',
    tests: `${UNIT}/validate.test.ts`,
    only: 'length of a list before its items',
  },
  {
    guard: 'at most fifty faults are told',
    file: 'api/http/requests/sizes.ts',
    find: 'return faults.slice(0, FAULTS_MAX).map(',
    replace: 'return faults.map(',
    tests: `${UNIT}/validate.test.ts`,
    only: 'lists a bounded number of unknown fields',
  },
  {
    guard: 'a line of text that is too long is not composed',
    file: 'shared/fields.ts',
    find: '      if (isLonger(value, max)) return value;\n',
    replace: '',
    tests: `${UNIT}/long-texts.test.ts`,
    only: 'a title',
  },
  {
    guard: 'it is not made out what a name that is too long looks like',
    file: 'shared/identity/names.ts',
    find: '    if (isLonger(value, NAME_LENGTH_MAX)) return value;\n',
    replace: '',
    tests: `${UNIT}/long-texts.test.ts`,
    only: 'a new name',
  },
  {
    guard: 'a tag that is too long is not composed',
    file: 'shared/posts/tag.ts',
    find: "    if (value.length > SENT_LENGTH_MAX) return helpers.error('string.max');\n",
    replace: '',
    tests: `${UNIT}/long-texts.test.ts`,
    only: 'a tag',
  },
  {
    guard: 'a body is looked at before it is parsed',
    file: 'api/http/requests/body.ts',
    find: '  checkJsonSize(bytes);\n',
    replace: '',
    tests: 'test/contract/common/bodies.test.ts',
    only: 'nested deeper than 32 levels',
    built: true,
  },
  {
    guard: 'large bodies leave half of the time to small requests',
    file: 'api/http/requests/body-bytes.ts',
    find: 'else setTimeout(leave, this.owedMs);',
    replace: 'else leave();',
    tests: `${UNIT}/body-bytes.test.ts`,
    only: 'with a pause as long as each took',
  },
  {
    guard: 'an answer that is not read ends',
    file: 'api/http/security/connections.ts',
    find: '|| socket.writableLength > 0',
    replace: '',
    tests: `${UNIT}/connections.test.ts`,
    only: 'their answer is not read',
  },
  {
    guard: 'no limit of connections is reached silently',
    file: 'api/http/security/connections.ts',
    find: "refused('API_CONNECTIONS_MAX');",
    replace: '',
    tests: `${UNIT}/connections.test.ts`,
    only: 'which is counted and logged',
  },
];
