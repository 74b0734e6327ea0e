import type { QueryClient } from '@tanstack/react-query';
import { onReconnect } from './connection';
import { currentSession, onSessionChange } from './session';

/**
 * Starts the worker that keeps what is read, in api/web/offline. Browsers have such workers where a
 * page is served securely.
 */

const WORKER = '/offline.js';

/** Tells the service worker what was loaded before it ran, and reads that once more. */
function whenItCame(queries: QueryClient): void {
  const files = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname);
  navigator.serviceWorker.controller?.postMessage({ files });
  void queries.invalidateQueries();
}

export function keepForOffline(queries: QueryClient): void {
  if (!('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  if (!serviceWorker.controller)
    serviceWorker.addEventListener(
      'controllerchange',
      () => {
        whenItCame(queries);
      },
      { once: true },
    );
  onReconnect(() => void queries.invalidateQueries());
  onSessionChange(() => {
    if (currentSession().user === null) serviceWorker.controller?.postMessage({ forget: true });
  });
  // Not while the page itself is loading. Without the worker everything works but this.
  const start = () => void serviceWorker.register(WORKER).catch(() => undefined);
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
}
