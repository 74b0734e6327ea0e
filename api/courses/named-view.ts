import type { Cache } from '../../shared/cache/cache';
import { coursesCacheKeys } from '../../shared/courses/views';
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

/**
 * The same of a view that shows names and numbers of videos of courses as well: a course may have
 * too many subscribers to tell the list of each.
 */
export async function outlinedView(
  cache: Pick<Cache, 'version'>,
  view: CachedView,
): Promise<CachedView> {
  const outlines = (await cache.version(coursesCacheKeys.outlines)) ?? '';
  return namedView(cache, { ...view, view: `${view.view}:${outlines}` });
}
