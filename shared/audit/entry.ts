import { masked } from '../secrets';

/** An entry of the audit, and its row. */

export interface AuditEntry {
  readonly at: Date;
  readonly actor: { readonly userId: number | null; readonly username: string | null };
  readonly action: string;
  readonly target: string | null;
  /** The result, in a few short members. The table has it, and so has the log. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The request. Only the table has it. */
  readonly payload?: unknown;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Longest text of a payload that is kept, characters; the rest is cut off. */
const TEXT_MAX = 200;
/** Most items of a list that are kept, and of all members of an object. */
const ITEMS_MAX = 50;
/** Longest payload that is kept, characters of JSON; a longer one is left out. */
const PAYLOAD_MAX = 8000;
const TARGET_MAX = 600;
const ADDRESS_MAX = 64;

/** Returns a copy of a value that is small enough to keep. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_MAX).toWellFormed();
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, ITEMS_MAX);
  return Object.fromEntries(members.map(([name, member]) => [name, shortened(member)]));
}

function detailsOf({ facts, payload }: AuditEntry): string {
  if (payload === undefined) return JSON.stringify(facts);
  const kept = masked(shortened(payload));
  const fits = JSON.stringify(kept).length <= PAYLOAD_MAX;
  return JSON.stringify({ ...facts, payload: fits ? kept : null });
}

export function auditRow(entry: AuditEntry) {
  const { at, actor, action, target, address, requestId } = entry;
  return {
    at,
    actorId: actor.userId,
    actorName: actor.username,
    action,
    target: target?.slice(0, TARGET_MAX) ?? null,
    details: detailsOf(entry),
    address: address?.slice(0, ADDRESS_MAX) ?? null,
    requestId,
  };
}
