import { withSharedMembers } from '../../../api/openapi/members';
import { count, id, object, text } from '../../../api/openapi/schema';
import { Components } from '../../../api/openapi/components';
import { shareParts, withCommonParameters, type Operation } from '../../../api/openapi/share';

/** What the document names once. */

interface Title {
  readonly bookInfoId: number;
  readonly title: string;
  readonly author: string;
  readonly stock: number;
}
const members = { bookInfoId: id, title: text, author: text, stock: count };
const dune = { bookInfoId: 42, title: 'Dune', author: 'Frank Herbert', stock: 2 };
const title = object<Title>('Title', members, dune);
const popular = object<Title & { readonly borrowCount: number }>('Popular', {
  ...members,
  borrowCount: count,
});

describe('schemas', () => {
  const components = new Components();
  components.refer(title);
  components.refer(popular);
  const schemas = withSharedMembers(components.schemas);

  it('have the members of another in a component, and each closes itself', () => {
    const allOf = [{ $ref: '#/components/schemas/TitleMembers' }];
    const close = { type: 'object', allOf, unevaluatedProperties: false };
    expect(schemas['Title']).toEqual({ ...close, examples: [dune] });
    expect(schemas['Popular']).toEqual({
      ...close,
      required: ['borrowCount'],
      properties: { borrowCount: { $ref: '#/components/schemas/Count' } },
    });
    expect(Object.keys(schemas['TitleMembers'] ?? {})).toEqual(['type', 'required', 'properties']);
    expect(schemas['TitleMembers']?.['required']).toEqual(Object.keys(members));
  });

  it('are left as they are where no other has all of their members', () => {
    const alone = new Components();
    alone.refer(title);
    expect(withSharedMembers(alone.schemas)).toEqual(alone.schemas);
  });

  it('that say the same are one, also inside of another', () => {
    const request = { type: 'object', properties: { title: text } };
    const all = new Components();
    const once = all.refer({ title: 'AddVideo', ...request });
    expect(all.refer({ title: 'AddClip', ...request })).toEqual(once);
    expect(all.refer({ type: 'array', items: request })).toEqual({ type: 'array', items: once });
  });

  it('of one title must say the same', () => {
    const all = new Components();
    all.refer(object('Title', { title: text }));
    expect(() => all.refer(object('Title', { title: count }))).toThrow(
      'two schemas are called Title',
    );
  });
});

const parameter = (name: string) => ({ name, in: 'path', required: true });
const operation = (names: readonly string[]): Operation => ({
  operationId: names.join(),
  parameters: names.map(parameter),
  responses: { 200: { description: 'Done.' }, 404: { description: 'Gone.' } },
});

describe('operations', () => {
  it('of a path have what all of them take in the path', () => {
    const path = withCommonParameters({ get: operation(['a', 'b']), patch: operation(['a']) });
    expect(path).toMatchObject({
      parameters: [parameter('a')],
      get: { parameters: [parameter('b')] },
    });
    expect(path['patch']).not.toHaveProperty('parameters');
    const alone = { get: operation(['a']) };
    expect(withCommonParameters(alone)).toEqual(alone);
  });

  it('refer to answers and parameters that two of them have, whatever the status', () => {
    const operations = [operation(['a']), operation(['a', 'b'])];
    const shared = shareParts(operations);
    expect(Object.keys(shared.responses)).toEqual(['Done', 'Gone']);
    expect(shared.responses['Done']).toEqual({ description: 'Done.' });
    expect(shared.parameters).toEqual({ a: parameter('a') });
    expect(operations[1]?.parameters).toEqual([
      { $ref: '#/components/parameters/a' },
      parameter('b'),
    ]);
    expect(operations[0]?.responses['200']).toEqual({ $ref: '#/components/responses/Done' });
  });
});
