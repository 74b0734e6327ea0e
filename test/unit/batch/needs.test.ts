import type { CommandOf, Envelope } from '../../../shared/command';
import type { DecisionContext } from '../../../workers/batch/service/decision';
import { demandOf, gather, type IdsOf, type NeedsOf } from '../../../workers/batch/service/needs';

/** A service of two commands. */
type Commands = CommandOf<{
  'toy.make': { readonly count: number };
  'toy.break': { readonly id: number };
}>;
type Wanted = Set<number>;

const needs = {
  'toy.make': { ids: { toy: ({ count }) => count, box: 1 }, reads: () => undefined },
  'toy.break': {
    ids: {},
    alone: true,
    characters: 7,
    reads({ payload }, wanted) {
      wanted.add(payload.id);
    },
  },
} satisfies NeedsOf<Commands, Wanted>;

const command = (type: Commands['type'], payload: Commands['payload']) =>
  ({ type, payload }) as Commands;
const make = (count: number) => command('toy.make', { count });
const broken = (id: number) => command('toy.break', { id });
const demand = (...commands: readonly Envelope[]) => demandOf(commands, () => needs);

describe('what a batch needs', () => {
  it('is the sum of what its commands need', () => {
    expect(demand(make(3), make(0))).toEqual({
      ids: new Map([
        ['toy', 3],
        ['box', 2],
      ]),
      ...{ rows: 5, characters: 0, alone: false },
    });
    expect(demand(make(1), broken(1), broken(2))).toMatchObject({
      ...{ rows: 2, characters: 14, alone: true },
    });
  });

  it('to read is gathered from each command by its own entry', () => {
    expect(gather(needs, [make(1), broken(4), broken(5)], new Set<number>())).toEqual(
      new Set([4, 5]),
    );
  });

  it('is not guessed for a command without an entry', () => {
    const unknown = { ...make(1), type: 'toy.burn' } as unknown as Envelope;
    expect(() => demand(unknown)).toThrow('nothing is known of what toy.burn needs');
  });
});

/** Each line would compile if the types gave way; `npm run lint` then tells. */
export function doesNotCompile(
  make: DecisionContext<IdsOf<typeof needs, 'toy.make'>>,
  breaking: DecisionContext,
): unknown[] {
  // @ts-expect-error: a command without an entry
  const incomplete: NeedsOf<Commands, Wanted> = { 'toy.make': needs['toy.make'] };
  return [
    make.takeId('toy'),
    // @ts-expect-error: an id of a kind that the command did not ask for
    make.takeId('book'),
    // @ts-expect-error: an id, of a command that asks for none
    breaking.takeId('toy'),
    incomplete,
  ];
}
