import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Heading } from '../shared/Heading';
import { fieldsOf } from '../shared/form';
import { texts } from '../shared/texts';
import { COMMANDS_KEY, FoundCommands, type CommandQuery } from './FoundCommands';
import { useWatched } from './samples';
import { Table } from './Table';

const KINDS = ['aggregate', 'userId', 'id'] as const;
type Kind = (typeof KINDS)[number];

/** How long commands take, by type. */
function Latencies() {
  const { samples } = useWatched();
  const of = texts.console.commands;
  return (
    <Table
      name={of.latencies}
      columns={[of.type, texts.console.partitions.perSecond, of.p50, of.p99]}
      rows={(samples.at(-1)?.types ?? []).map(({ type, perSecond, p50Ms, p99Ms }) => ({
        key: type,
        cells: [
          type,
          texts.console.rate(perSecond),
          texts.console.ms(p50Ms),
          texts.console.ms(p99Ms),
        ],
      }))}
      none={of.noTypes}
    />
  );
}

/** What is searched for: kind and text as they were typed. Nothing means the latest commands. */
function queryOf(kind: Kind, text: string): CommandQuery {
  if (text === '') return {};
  // The service says what is wrong with what is no number.
  return kind === 'userId' ? { userId: text as unknown as number } : { [kind]: text };
}

/** Commands: how long they take, and how each one went. */
export function Commands() {
  const queries = useQueryClient();
  const [query, setQuery] = useState<CommandQuery>({});
  const of = texts.console.commands;
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
            setQuery(queryOf(field('kind') as Kind, field('text').trim()));
            // The same question again asks what is new.
            void queries.invalidateQueries({ queryKey: COMMANDS_KEY });
          }}
        >
          <label>
            {of.by}
            <select name="kind">
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
              name="text"
              type="search"
              maxLength={600}
              autoCapitalize="none"
              placeholder={of.example}
            />
          </label>
          <button>{of.find}</button>
        </form>
      </search>
      <FoundCommands query={query} />
    </>
  );
}
