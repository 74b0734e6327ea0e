import type { Cache } from '../../shared/cache/cache';
import { coursesCacheKeys } from '../../shared/courses/views';
import { NAMES_SUBJECT } from '../../shared/identity/tables';
import type { CachedView } from '../reads/read-through';

/**
 * Returns the name of a view that contains names of lecturers. It changes with the version of all
 * names, because the views of an erased lecturer cannot be found one by one.
 */
export async function namedView(
  cache: Pick<Cache, 'version'>,
  view: CachedView,
): Promise<CachedView> {
  return { ...view, view: `${view.view}:${(await cache.version(NAMES_SUBJECT)) ?? ''}` };
}

/**
 * Returns the name of a view that also contains names and video counts of courses. A course may
 * have too many subscribers to invalidate the list of each.
 */
export async function outlinedView(
  cache: Pick<Cache, 'version'>,
  view: CachedView,
): Promise<CachedView> {
  const outlines = (await cache.version(coursesCacheKeys.outlines)) ?? '';
  return namedView(cache, { ...view, view: `${view.view}:${outlines}` });
}
