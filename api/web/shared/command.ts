import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { answered, client } from './client';

/** How often the service is asked for the result of a command, milliseconds. */
const ASK_AGAIN_MS = 1000;

/**
 * Makes the query for the result of a promised command. When it has ended, the changed data is read
 * again.
 */
export const commandQuery = (commandId: string, queries: QueryClient) =>
  queryOptions({
    queryKey: ['command', commandId],
    queryFn: async ({ signal }) => {
      const command = await answered(
        client.request('GET', '/api/commands/{command}', { path: { command: commandId }, signal }),
      );
      if (command.status !== 'queued')
        void queries.invalidateQueries({
          predicate: ({ queryKey: [first] }) => first !== 'command',
        });
      return command;
    },
    refetchInterval: ({ state }) =>
      state.data && state.data.status !== 'queued' ? false : ASK_AGAIN_MS,
    // An ended command stays as it is.
    staleTime: ({ state }) => (state.data && state.data.status !== 'queued' ? Infinity : 0),
  });
