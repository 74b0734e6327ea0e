import type { Cache } from '../../shared/cache/cache';
import { NAMES_SUBJECT } from '../../shared/identity/tables';
import type { CachedView } from '../reads/read-through';

/**
 * A view that shows names of lecturers. Nobody can be found who is told when one of them is erased,
 * so the view's name changes with the version of all names.
 */
export async function namedView(
  cache: Pick<Cache, 'version'>,
  view: CachedView,
): Promise<CachedView> {
  return { ...view, view: `${view.view}:${(await cache.version(NAMES_SUBJECT)) ?? ''}` };
}
