import Joi from 'joi';
import {
  commonVariables,
  readEnvironment,
  serverVariables,
  type CommonConfig,
  type ServerConfig,
} from '../shared/config';
import { metricsHost } from '../shared/exposure';
import { SIGNATURE_POLICIES, type SignaturePolicy } from '../shared/messaging/signature';
import { webhookVariables, type WebhookConfig } from '../shared/webhooks/fields';
import type { Retention } from './jobs/retention';
import type { LendingRules } from './lending/decided';
import type { MailServer } from './notices/mail';

/** Settings of the rules by which workers decide. */
export const ruleVariables = {
  LOAN_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(365)
    .default(14)
    .unit('days')
    .description('Length of a loan, and of each renewal.'),
  MAX_OPEN_BORROWS: Joi.number()
    .integer()
    .min(0)
    .max(10_000)
    .default(0)
    .unit('borrows')
    .description('Most books that one user may have borrowed at a time; 0 = no limit.'),
  HOLD_PICKUP_DAYS: Joi.number()
    .positive()
    .max(60)
    .default(3)
    .unit('days')
    .description(
      'How long a copy is set aside for the reader whose hold it serves; fractions count (0.5 = ' +
        '12 hours).',
    ),
  DUE_SOON_DAYS: Joi.number()
    .min(0)
    .max(60)
    .default(2)
    .unit('days')
    .description(
      'How long before its due date a borrow is announced as due soon, by an event and a notice; ' +
        'fractions count, 0 = not at all.',
    ),
};

/** How long things are kept, in both ways of running. */
export const retentionVariables = {
  EVENT_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(365)
    .default(7)
    .unit('days')
    .description('How long events can be read again.'),
  AUDIT_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(3650)
    .default(365)
    .unit('days')
    .description('How long the audit is kept.'),
  NOTICE_RETENTION_DAYS: Joi.number()
    .integer()
    .min(1)
    .max(3650)
    .default(90)
    .unit('days')
    .description('How long notices are kept, read or not.'),
  HISTORY_RETENTION_DAYS: Joi.number()
    .integer()
    .min(0)
    .max(36_500)
    .default(0)
    .unit('days')
    .description('How long a closed borrow keeps its reader; 0 = for ever.'),
};

export interface RetentionConfig {
  readonly EVENT_RETENTION_DAYS: number;
  readonly AUDIT_RETENTION_DAYS: number;
  readonly NOTICE_RETENTION_DAYS: number;
  readonly HISTORY_RETENTION_DAYS: number;
}

/** Settings of e-mails, in both ways of running. */
export const mailVariables = {
  SMTP_URL: Joi.string()
    .uri({ scheme: ['smtp', 'smtps'] })
    .description(
      'Mail server that sends notices: smtp://user:password@host:587, or smtps: for TLS from the ' +
        'beginning. No e-mail is sent without it.',
    ),
  SMTP_FROM: Joi.string()
    .max(320)
    .default('Lendline <lendline@localhost>')
    .description('Sender of e-mails, such as Library <library@example.org>.'),
};

export interface MailConfig {
  readonly SMTP_URL?: string;
  readonly SMTP_FROM: string;
}

/** Bounds of a batch, in both ways of running. */
export const batchVariables = {
  BATCH_BYTES_MAX: Joi.number()
    .integer()
    .min(65_536)
    .max(16_777_216)
    .default(1_048_576)
    .unit('bytes')
    .description('Most bytes of the commands of one batch. A batch of one command may have more.'),
};

/** Settings of the embedded default only. */
export const embeddedVariables = {
  DATA_DIR: Joi.string()
    .default('./data')
    .description('Folder of the files of the embedded default. One process at a time uses it.'),
};

export interface BatchConfig {
  readonly BATCH_BYTES_MAX: number;
}

export interface RuleConfig {
  readonly LOAN_DAYS: number;
  readonly MAX_OPEN_BORROWS: number;
  readonly DUE_SOON_DAYS: number;
  readonly HOLD_PICKUP_DAYS: number;
}

export const workerVariables = {
  ...serverVariables,
  ...commonVariables,
  ...ruleVariables,
  ...batchVariables,
  ...retentionVariables,
  ...mailVariables,
  ...webhookVariables,
  WORKER_BYTES_MAX: Joi.number()
    .integer()
    .min(1_048_576)
    .max(4_294_967_296)
    .default(67_108_864)
    .unit('bytes')
    .description(
      'Most bytes of commands that one worker holds, over all partitions. They are outside of its ' +
        'heap.',
    ),
  WORKER_METRICS_HOST: metricsHost().description('Address on which WORKER_METRICS_PORT listens.'),
  WORKER_METRICS_PORT: Joi.number()
    .port()
    .allow(0)
    .default(0)
    .description(
      "Port of a worker's /livez, /readyz and /metrics; 0 = off. Docker Compose sets it itself.",
    ),
  COMMAND_SIGNATURES: Joi.string()
    .valid(...SIGNATURE_POLICIES)
    .default('required')
    .description(
      'Whether a message without a valid signature of this installation becomes a dead letter. ' +
        'ignored: it is carried out.',
    ),
};

export interface WorkerConfig
  extends
    ServerConfig,
    CommonConfig,
    RuleConfig,
    BatchConfig,
    RetentionConfig,
    MailConfig,
    WebhookConfig {
  readonly WORKER_BYTES_MAX: number;
  readonly WORKER_METRICS_HOST: string;
  readonly WORKER_METRICS_PORT: number;
  readonly COMMAND_SIGNATURES: SignaturePolicy;
}

/**
 * Reads the settings of a worker.
 * @throws StartError that names every bad variable.
 */
export function readWorkerConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  return readEnvironment(Joi.object<WorkerConfig>(workerVariables), environment);
}

export function retentionOf({
  EVENT_RETENTION_DAYS,
  AUDIT_RETENTION_DAYS,
  NOTICE_RETENTION_DAYS,
}: RetentionConfig): Retention {
  return {
    eventDays: EVENT_RETENTION_DAYS,
    auditDays: AUDIT_RETENTION_DAYS,
    noticeDays: NOTICE_RETENTION_DAYS,
  };
}

/** Returns the mail server, or null when no e-mail is sent. */
export const mailOf = ({ SMTP_URL, SMTP_FROM }: MailConfig): MailServer | null =>
  SMTP_URL === undefined ? null : { url: SMTP_URL, from: SMTP_FROM };

export function lendingRules({
  LOAN_DAYS,
  MAX_OPEN_BORROWS,
  HOLD_PICKUP_DAYS,
  DUE_SOON_DAYS,
}: RuleConfig): LendingRules {
  return {
    loanDays: LOAN_DAYS,
    maxOpenBorrows: MAX_OPEN_BORROWS,
    holdPickupDays: HOLD_PICKUP_DAYS,
    dueSoonDays: DUE_SOON_DAYS,
  };
}
