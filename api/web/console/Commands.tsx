import { useQueryClient } from '@tanstack/react-query';
import { Heading } from '../shared/Heading';
import { fieldsOf } from '../shared/form';
import type { CommandQuery } from './calls';
import { COMMANDS_KEY, FoundCommands } from './FoundCommands';
import { usePlaceState } from './place-state';
import { useWatched, type Sample } from './samples';
import { Table, type Column } from './Table';
import { consoleTexts } from './texts';

const KINDS = ['aggregate', 'userId', 'id'] as const;
type Kind = (typeof KINDS)[number];

type Type = Sample['types'][number];

const TYPE_COLUMNS: readonly Column<Type>[] = [
  { key: 'type', label: consoleTexts.commands.type, value: ({ type }) => type },
  {
    ...{ key: 'rate', label: consoleTexts.partitions.perSecond },
    value: ({ perSecond }) => perSecond,
    cell: ({ perSecond }) => consoleTexts.rate(perSecond),
  },
  {
    ...{ key: 'p50', label: consoleTexts.commands.p50 },
    value: ({ p50Ms }) => p50Ms,
    cell: ({ p50Ms }) => consoleTexts.ms(p50Ms),
  },
  {
    ...{ key: 'p99', label: consoleTexts.commands.p99 },
    value: ({ p99Ms }) => p99Ms,
    cell: ({ p99Ms }) => consoleTexts.ms(p99Ms),
  },
];

/** Shows how long commands take, by type. */
function Latencies() {
  const { last } = useWatched();
  const of = consoleTexts.commands;
  return (
    <Table name={of.latencies} columns={TYPE_COLUMNS} rows={last?.types ?? []} none={of.noTypes} />
  );
}

/** Returns the query for a kind and text as they were typed. Nothing means the latest commands. */
function queryOf(kind: Kind, text: string): CommandQuery {
  if (text === '') return {};
  // The service says what is wrong with what is no number.
  return kind === 'userId' ? { userId: text as unknown as number } : { [kind]: text };
}

/** Shows commands: how long they take, and how each one went. */
export function Commands() {
  const queries = useQueryClient();
  const { value, change } = usePlaceState();
  const kind = KINDS.find((one) => one === value('by')) ?? 'aggregate';
  const of = consoleTexts.commands;
  return (
    <>
      <Heading>{of.heading}</Heading>
      <h2>{of.latencies}</h2>
      <Latencies />
      <h2>{of.search}</h2>
      <search>
        <form
          className="command-search"
          onSubmit={(event) => {
            event.preventDefault();
            const field = fieldsOf(event.currentTarget);
            change({ by: field('kind'), text: field('text').trim() });
            // The same question again asks what is new.
            void queries.invalidateQueries({ queryKey: COMMANDS_KEY });
          }}
        >
          <label>
            {of.by}
            <select name="kind" key={kind} defaultValue={kind}>
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {of.kinds[kind]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {of.words}
            <input
              key={value('text')}
              name="text"
              defaultValue={value('text')}
              type="search"
              maxLength={600}
              autoCapitalize="none"
              placeholder={of.example}
            />
          </label>
          <button>{of.find}</button>
        </form>
      </search>
      <FoundCommands query={queryOf(kind, value('text'))} />
    </>
  );
}
