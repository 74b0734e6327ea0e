import './page.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { keepForOffline } from './keep-for-offline';
import { keepLooking } from './look-again';
import { isWorthRepeating } from './problem';
import { newMutationCache } from './sending';
import { onSessionChange, sharedSession } from './session';

/** How often a read is retried when no answer arrives. */
const REPEATS = 2;

/**
 * Shows a page. What the service has said lives in one place, the cache of queries, and nowhere
 * else. `isKept`: what was seen of it can be read without a connection.
 */
export async function showPage(
  page: ReactNode,
  { isKept = false }: { readonly isKept?: boolean } = {},
): Promise<void> {
  await sharedSession();
  const queries = new QueryClient({
    mutationCache: newMutationCache(),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: (failures, error) => failures < REPEATS && isWorthRepeating(error),
      },
    },
  });
  keepLooking(queries);
  if (isKept) keepForOffline(queries);
  // What one user was told is not for the next.
  onSessionChange(() => void queries.resetQueries());
  const root = document.getElementById('page');
  if (!root) throw new Error('the page has no element #page');
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>{page}</QueryClientProvider>
    </StrictMode>,
  );
}
