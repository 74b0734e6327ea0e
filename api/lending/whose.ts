import type { Actor } from '../../shared/command';
import { Problem } from '../http/responses/problem';

/**
 * Returns whose borrows and holds a caller may see and change: their own, and for an administrator
 * anybody's.
 */

export const mayActFor = (actor: Actor, userId: number | null): boolean =>
  actor.isAdmin || actor.userId === userId;

/** @throws Problem VALIDATION_FAILED when a field names another thing than the fields before it. */
export function mustAgree(field: string, given: number | undefined, found: number): void {
  if (given === undefined || given === found) return;
  const message = `${field} does not agree with the other fields`;
  throw new Problem('VALIDATION_FAILED', `${message}.`, {
    extras: { errors: [{ field, code: 'CONFLICTING_FIELDS', message }] },
  });
}

interface OwnedFilters {
  readonly me?: boolean;
  readonly userId?: number;
}

/**
 * Returns the filters of a list without `me`. Users see only their own, and administrators all, or
 * with `me=true` their own.
 * @throws Problem FORBIDDEN when a user asks for those of others.
 */
export function ownOrAll<Filters extends OwnedFilters>(
  { isAdmin, userId }: Actor,
  query: Filters,
): Omit<Filters, 'me'> {
  const { me = !isAdmin, ...filters } = query;
  const forbidden = () =>
    new Problem('FORBIDDEN', 'You may list only your own. Leave out `me` and `userId`.');
  if (!isAdmin && !me) throw forbidden();
  if (!me) return filters;
  if (!isAdmin && filters.userId !== undefined && filters.userId !== userId) throw forbidden();
  mustAgree('userId', filters.userId, userId as number);
  return { ...filters, userId: userId as number };
}
