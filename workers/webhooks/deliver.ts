import { literal, Op, type WhereOptions } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { Now } from '../../shared/database/clock';
import type { Logger } from '../../shared/logger';
import { CLOUD_EVENT_TYPE } from '../../shared/messaging/event';
import { signaturesOf, unsealed } from '../../shared/webhooks/secret';
import { Webhook, WebhookDelivery } from '../../shared/webhooks/tables';
import { groupBy } from '../batch/group';
import { atOnce } from '../jobs/at-once';
import type { LeaderJob } from '../jobs/leader-jobs';
import { deliveriesTried, tellBacklog } from '../metrics';
import { pauseMs, SCHEDULE, type Schedule } from './schedule';
import { send } from './send';

/**
 * Delivers events to webhooks: at least once, and the events of one aggregate in order.
 * The tables hold all state. After a crash, the next worker sends again what was not marked. Each
 * webhook is served separately, so that a hanging receiver holds up no other webhook. Within a
 * webhook, a failed event holds up only events of its own aggregate.
 */

/** Pause between looks for what is to be delivered, milliseconds. */
const POLL_MS = 500;
/** How long a webhook that accepts everything is served before it is read anew, milliseconds. */
const SERVED_MS = 500;
/** How long a webhook that can only wait is left alone, milliseconds. */
const REST_MS = 1000;
/** Deliveries read at a time, and most aggregates of a webhook that wait for a retry. */
const AT_A_TIME = 20;
const RETRYING_MAX = 100;
/** Requests of one webhook at a time. */
const REQUESTS_MAX = 4;
const TIMEOUT_MS = 10_000;
/** How often the backlog is counted, milliseconds. */
const COUNT_MS = 10_000;
const ERROR_LENGTH_MAX = 255;
/** HTTP status with which a receiver says that it is gone for good. */
const GONE = 410;

export interface WebhookOptions {
  readonly database: Sequelize;
  /** Unseals the secrets. */
  readonly key: Buffer;
  readonly allowPrivate: boolean;
  readonly now: Now;
  readonly logger: Logger;
  readonly schedule?: Schedule;
  readonly timeoutMs?: number;
  readonly servedMs?: number;
}

/** The result of an attempt. */
interface Attempt {
  readonly answer: number | null;
  /** Null when the receiver has accepted the event. */
  readonly error: string | null;
}

const HAS_DELIVERIES = literal(
  "EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.webhook_id = `Webhook`.`id` AND d.state IN ('pending', 'retrying'))",
) as unknown as WhereOptions;

export class WebhookDeliverer {
  private readonly busy = new Map<number, Promise<void>>();
  /** Until when webhooks are left alone, milliseconds since the process started. */
  private readonly rests = new Map<number, number>();
  private countedAt = -Infinity;

  constructor(private readonly options: WebhookOptions) {}

  readonly job: LeaderJob = {
    name: 'webhooks',
    everyMs: POLL_MS,
    run: async () => {
      await this.count();
      const active = { status: 'active' };
      const webhooks = await Webhook.findAll({ where: { [Op.and]: [active, HAS_DELIVERIES] } });
      for (const webhook of webhooks) this.serve(webhook);
      return false;
    },
  };

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.busy.values());
  }

  /** Begins to serve a webhook, unless that is under way. */
  private serve(webhook: Webhook): void {
    const { id } = webhook;
    if (this.busy.has(id) || performance.now() < (this.rests.get(id) ?? 0)) return;
    const rounds = this.rounds(webhook)
      .then((tried) => {
        if (tried === 0) this.rests.set(id, performance.now() + REST_MS);
        else this.rests.delete(id);
      })
      .catch((err: unknown) => {
        this.rests.set(id, performance.now() + REST_MS);
        this.options.logger.warn({ err, webhookId: id }, 'webhook deliveries failed');
      })
      .finally(() => this.busy.delete(id));
    this.busy.set(id, rounds);
  }

  /** Sends what is due, one round after the other while all is accepted. Returns how much. */
  private async rounds(webhook: Webhook): Promise<number> {
    const end = performance.now() + (this.options.servedMs ?? SERVED_MS);
    let tried = 0;
    for (;;) {
      const { lanes, failed } = await this.round(webhook);
      tried += lanes;
      if (lanes === 0 || failed || performance.now() >= end) return tried;
    }
  }

  /** Sends some of the due deliveries. */
  private async round(webhook: Webhook): Promise<{ lanes: number; failed: boolean }> {
    const lanes = [...groupBy(await this.due(webhook), ({ aggregateId }) => aggregateId).values()];
    let failed = false;
    await atOnce(lanes, REQUESTS_MAX, async (lane) => {
      if (!(await this.sendInOrder(webhook, lane))) failed = true;
    });
    return { lanes: lanes.length, failed };
  }

  private async due({ id: webhookId }: Webhook): Promise<WebhookDelivery[]> {
    const at = this.options.now().getTime();
    const retrying = await WebhookDelivery.findAll({
      attributes: ['id', 'aggregateId', 'nextAt'],
      where: { webhookId, state: 'retrying' },
      order: ['id'],
      limit: RETRYING_MAX,
    });
    const dueAgain = retrying.filter(({ nextAt }) => nextAt.getTime() <= at);
    const again = await WebhookDelivery.findAll({
      where: { id: dueAgain.map(({ id }) => id).slice(0, AT_A_TIME) },
      order: ['id'],
    });
    if (retrying.length === RETRYING_MAX) return again;
    // Later events of the aggregate wait until a failed one is accepted.
    const held = [...new Set(retrying.map(({ aggregateId }) => aggregateId))];
    const others = held.length > 0 ? { aggregateId: { [Op.notIn]: held } } : {};
    const fresh = await WebhookDelivery.findAll({
      where: { webhookId, state: 'pending', ...others },
      order: ['id'],
      limit: AT_A_TIME,
    });
    return [...again, ...fresh];
  }

  /** Sends the events of one aggregate, up to the first that fails. Returns whether none has. */
  private async sendInOrder(webhook: Webhook, lane: readonly WebhookDelivery[]): Promise<boolean> {
    for (const delivery of lane) {
      const attempt = await this.attempt(webhook, delivery);
      deliveriesTried.inc({ ending: attempt.error === null ? 'delivered' : 'failed' });
      await this.mark(webhook, delivery, attempt);
      if (attempt.error !== null) return false;
    }
    return true;
  }

  private async attempt(webhook: Webhook, delivery: WebhookDelivery): Promise<Attempt> {
    const { key, allowPrivate, now, timeoutMs = TIMEOUT_MS } = this.options;
    const { sealedSecret, formerSecret, formerUntil, url } = webhook;
    const { eventId: id, body } = delivery;
    try {
      const isRotated = formerSecret !== null && (formerUntil?.getTime() ?? 0) > now().getTime();
      const secrets = [sealedSecret, ...(isRotated ? [formerSecret] : [])];
      const message = { id, timestamp: Math.floor(now().getTime() / 1000), body: body ?? '' };
      const headers = {
        'content-type': CLOUD_EVENT_TYPE,
        'user-agent': 'Lendline',
        'webhook-id': id,
        'webhook-timestamp': String(message.timestamp),
        'webhook-signature': signaturesOf(
          message,
          secrets.map((secret) => unsealed(secret, key)),
        ),
      };
      const answer = await send({ url, headers, body: message.body }, { allowPrivate, timeoutMs });
      const isAccepted = answer >= 200 && answer < 300;
      return { answer, error: isAccepted ? null : `it answered ${answer}` };
    } catch (error) {
      return { answer: null, error: (error as Error).message.slice(0, ERROR_LENGTH_MAX) };
    }
  }

  private async mark(
    webhook: Webhook,
    delivery: WebhookDelivery,
    { answer, error }: Attempt,
  ): Promise<void> {
    const at = this.options.now();
    const { id, firstAt } = delivery;
    const attempts = delivery.attempts + 1;
    const changes =
      error === null
        ? { state: 'delivered' as const, doneAt: at, body: null, attempts, answer, error }
        : {
            ...{ state: 'retrying' as const, firstAt: firstAt ?? at, attempts, answer, error },
            nextAt: new Date(at.getTime() + pauseMs(attempts, this.schedule)),
          };
    const isOver = at.getTime() - (firstAt ?? at).getTime() >= this.schedule.totalMs;
    const disables = error !== null && (isOver || answer === GONE);
    // In a transaction, because in SQLite transactions take turns.
    await this.options.database.transaction(async (transaction) => {
      await WebhookDelivery.update(changes, { where: { id }, transaction });
      if (!disables) return;
      const why = answer === GONE ? 'The receiver is gone (410).' : this.reason(delivery, error);
      const disabled = { status: 'disabled' as const, reason: why, modifiedAt: at };
      const where = { id: webhook.id, status: 'active' };
      await Webhook.update(disabled, { where, transaction });
      this.options.logger.warn({ webhookId: webhook.id, reason: why }, 'webhook disabled');
    });
  }

  private reason({ eventId }: WebhookDelivery, error: string): string {
    const hours = Math.round(this.schedule.totalMs / 3_600_000);
    return `Event ${eventId} was not accepted for ${hours} hours: ${error}.`;
  }

  private get schedule(): Schedule {
    return this.options.schedule ?? SCHEDULE;
  }

  private async count(): Promise<void> {
    const at = performance.now();
    if (at - this.countedAt < COUNT_MS) return;
    this.countedAt = at;
    tellBacklog(await WebhookDelivery.count({ where: { state: ['pending', 'retrying'] } }));
  }
}
