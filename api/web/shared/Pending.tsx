import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answered, client } from './client';
import { dismissPromised, usePromised } from './promised';
import { problemOf } from './problem';
import { ProblemNotice } from './ProblemNotice';
import { texts } from './texts';

/** How often the service is asked what became of a command, milliseconds. */
const ASK_AGAIN_MS = 1000;

function PendingCommand({ commandId }: { readonly commandId: string }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['command', commandId],
    queryFn: async ({ signal }) => {
      const command = await answered(
        client.GET('/api/commands/{command}', { params: { path: { command: commandId } }, signal }),
      );
      // What it has changed may be on the page.
      if (command.status !== 'queued')
        void queries.invalidateQueries({
          predicate: ({ queryKey: [first] }) => first !== 'command',
        });
      return command;
    },
    refetchInterval: ({ state }) =>
      state.data && state.data.status !== 'queued' ? false : ASK_AGAIN_MS,
    // What has ended stays as it is.
    staleTime: ({ state }) => (state.data && state.data.status !== 'queued' ? Infinity : 0),
  });
  const state = data?.status ?? 'queued';
  const hasEnded = state !== 'queued' || problemOf(error)?.status === 404;
  return (
    <li className={state}>
      <span aria-busy={!hasEnded}>
        {data ? texts.pending.command(data.type) : texts.pending.unknown}:{' '}
        {texts.pending.states[state]}
      </span>
      {data?.problem && <p>{data.problem.detail}</p>}
      {hasEnded && <ProblemNotice error={error} />}
      {hasEnded && (
        <button
          type="button"
          className="small"
          onClick={() => {
            dismissPromised(commandId);
          }}
        >
          {texts.pending.dismiss}
        </button>
      )}
    </li>
  );
}

/**
 * The commands that took longer than their sender was to wait, and what became of them; also after
 * a reload.
 */
export function Pending() {
  const ids = usePromised();
  return (
    <section role="status" aria-label={texts.pending.heading} className="pending">
      {ids.length > 0 && (
        <ul>
          {ids.map((id) => (
            <PendingCommand key={id} commandId={id} />
          ))}
        </ul>
      )}
    </section>
  );
}
