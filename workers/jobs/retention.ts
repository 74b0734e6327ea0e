import { literal, type Model, type ModelStatic, type WhereOptions } from 'sequelize';
import { Audit } from '../../shared/audit/tables';
import { idTime, KEY_KEPT_MS, OUTCOME_KEPT_MS } from '../../shared/command';
import { CommandAttempt, SuspectCommand } from '../../shared/database/dead-letter-tables';
import {
  CommandOutcome,
  CommandTimeline,
  IdempotencyKey,
  Outbox,
} from '../../shared/database/tables';
import { EndedToken } from '../../shared/identity/tables';
import { Notice } from '../../shared/notices/tables';
import { WebhookDelivery } from '../../shared/webhooks/tables';

/**
 * How long the rows of every table are kept, and who removes them. `docs/operating/retention.md`
 * has the same content.
 */

export interface Retention {
  /** How long events can be read again after they were published, days. */
  readonly eventDays: number;
  /** How long the audit is kept, days. */
  readonly auditDays: number;
  /** How long notices are kept, days. */
  readonly noticeDays: number;
}

/** What housekeeping removes from a table: rows whose instant is older than `keptMs`. */
export interface Aged {
  readonly table: ModelStatic<Model>;
  readonly key: string;
  readonly instant: string;
  readonly keptMs: (retention: Retention) => number;
  /** How the column stores an instant, unless as a date. */
  readonly written?: (instant: Date) => string;
  readonly also?: WhereOptions;
}

export interface RetentionRule {
  readonly tables: readonly string[];
  readonly kept: string;
  /** The job that removes the rows, or what else removes them. */
  readonly by: string;
  readonly cost: string;
  readonly aged?: Aged | readonly Aged[];
}

/** Outcomes outlive the keys and ids that lead to them by this much, milliseconds. */
const MARGIN_MS = 3600 * 1000;
const DAY_MS = 24 * 3600 * 1000;
/** How long stale marks of suspects stay, milliseconds. */
const SUSPECTS_KEPT_MS = DAY_MS;
/** How long events wait for a disabled webhook, milliseconds. */
const UNDELIVERED_KEPT_MS = 7 * DAY_MS;

/**
 * An outcome stays as long as its idempotency key, because each use renews the key. No new key ever
 * refers to an older outcome.
 */
const NO_KEY = literal(
  'NOT EXISTS (SELECT 1 FROM idempotency_key k WHERE k.command_id = `CommandOutcome`.command_id)',
) as unknown as WhereOptions;

/** Earlier failures stay as long as the dead letter that displays them. */
const NO_LETTER = literal(
  'NOT EXISTS (SELECT 1 FROM dead_letter l WHERE l.command_id = `CommandAttempt`.command_id)',
) as unknown as WhereOptions;

/** Nothing is sent to it any more. */
const NO_ACTIVE_WEBHOOK = literal(
  "`WebhookDelivery`.done_at IS NULL AND NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = `WebhookDelivery`.webhook_id AND w.status = 'active')",
) as unknown as WhereOptions;

const ONE_RANGE = 'an index range, up to 2,000 rows a time';
const A_ROW_EACH = 'a row each';

/** Makes the rule of a table from which housekeeping removes old rows. */
const swept = (table: string, kept: string, aged: Aged | readonly Aged[]): RetentionRule => ({
  tables: [table],
  kept,
  by: 'housekeeping',
  cost: ONE_RANGE,
  aged,
});

/** Keys come before their outcomes. */
export const RETENTION: readonly RetentionRule[] = [
  swept('idempotency_key', '25 hours after their last use', {
    table: IdempotencyKey,
    key: 'scope',
    instant: 'createdAt',
    keptMs: () => KEY_KEPT_MS,
  }),
  swept('command_outcome', '25 hours, and as long as a key leads to it', {
    table: CommandOutcome,
    key: 'commandId',
    instant: 'completedAt',
    keptMs: () => OUTCOME_KEPT_MS + MARGIN_MS,
    also: NO_KEY,
  }),
  swept('command_way', '25 hours', {
    table: CommandTimeline,
    key: 'commandId',
    instant: 'commandId',
    keptMs: () => OUTCOME_KEPT_MS + MARGIN_MS,
    // A command's id begins with its time.
    written: (instant) => idTime(instant.getTime()),
  }),
  swept('command_attempt', '25 hours, and as long as the command is a dead letter', {
    table: CommandAttempt,
    key: 'seq',
    instant: 'failedAt',
    keptMs: () => OUTCOME_KEPT_MS + MARGIN_MS,
    also: NO_LETTER,
  }),
  swept('outbox', '`EVENT_RETENTION_DAYS` after they were published', {
    table: Outbox,
    key: 'seq',
    instant: 'relayedAt',
    keptMs: ({ eventDays }) => eventDays * DAY_MS,
  }),
  swept('suspect_command', 'until the command ends, at most a day', {
    table: SuspectCommand,
    key: 'commandId',
    instant: 'triedAt',
    keptMs: () => SUSPECTS_KEPT_MS,
  }),
  swept('ended_token', 'an hour longer than the token would be valid', {
    table: EndedToken,
    key: 'id',
    instant: 'expiresAt',
    keptMs: () => MARGIN_MS,
  }),
  swept('audit', '`AUDIT_RETENTION_DAYS`', {
    table: Audit,
    key: 'id',
    instant: 'at',
    keptMs: ({ auditDays }) => auditDays * DAY_MS,
  }),
  swept('notice', '`NOTICE_RETENTION_DAYS`', {
    table: Notice,
    key: 'id',
    instant: 'createdAt',
    keptMs: ({ noticeDays }) => noticeDays * DAY_MS,
  }),
  swept(
    'webhook_delivery',
    '`EVENT_RETENTION_DAYS` after it was made; a week while its webhook is disabled',
    [
      {
        table: WebhookDelivery,
        key: 'id',
        instant: 'doneAt',
        keptMs: ({ eventDays }) => eventDays * DAY_MS,
      },
      {
        table: WebhookDelivery,
        key: 'id',
        instant: 'createdAt',
        keptMs: () => UNDELIVERED_KEPT_MS,
        also: NO_ACTIVE_WEBHOOK,
      },
    ],
  ),
  {
    tables: ['book_user'],
    kept: 'for ever; the reader of a closed one for `HISTORY_RETENTION_DAYS`',
    by: 'old-borrows',
    cost: 'each borrow is looked at once an hour, 2,000 a time',
  },
  {
    tables: ['author', 'book_img', 'search_word', 'search_ending'],
    kept: 'while a title or post has them',
    by: 'unused-rows',
    cost: '2,000 rows of each kind a minute',
  },
  {
    tables: ['outgoing_command', 'pending_command'],
    kept: 'until they are sent, or carried out',
    by: 'workers',
    cost: 'part of the batch',
  },
  {
    tables: ['dead_letter'],
    kept: 'until somebody replays or discards them',
    by: 'operators',
    cost: A_ROW_EACH,
  },
  {
    tables: ['post', 'post_tag', 'post_text', 'tag'],
    kept: 'until they are deleted',
    by: 'commands',
    cost: 'part of the batch',
  },
  {
    tables: ['tag_former_name'],
    kept: 'for ever',
    by: 'nobody',
    cost: 'a row for each name that a tag lost',
  },
  {
    tables: ['course_waitlist'],
    kept: 'until the user has a seat, or leaves the line',
    by: 'commands',
    cost: 'part of the batch',
  },
  {
    tables: ['book_info', 'book', 'courses', 'course_video'],
    kept: 'for ever; deleted ones are marked',
    by: 'nobody',
    cost: A_ROW_EACH,
  },
  {
    tables: ['book_hold', 'user_courses', 'video_completion', 'user'],
    kept: 'for ever; an erased user has no name any more',
    by: 'nobody',
    cost: A_ROW_EACH,
  },
  {
    tables: ['borrow_day'],
    kept: 'for ever',
    by: 'nobody',
    cost: 'a row for each title and day with a borrow',
  },
  {
    tables: ['worker_heartbeat'],
    kept: 'while the worker lives, and a little longer',
    by: 'workers',
    cost: 'a row for each worker',
  },
  {
    tables: [
      'id_block',
      'lease',
      'lending_policy',
      'migration',
      'partition_layout',
      'partition_owner',
      'setting',
      'webhook',
    ],
    kept: 'for ever; they do not grow with use',
    by: 'nobody',
    cost: 'some dozens of rows',
  },
];
