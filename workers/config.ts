import Joi from 'joi';
import { commonVariables, readEnvironment, serverVariables, type CommonConfig, type ServerConfig } from '../shared/config';
import { SIGNATURE_POLICIES, type SignaturePolicy } from '../shared/messaging/signature';
import type { Retention } from './duties/housekeeping';
import type { LendingRules } from './lending/decided';

/** Rules of the services that the workers decide by. */
export const ruleVariables = {
  /** Days until a borrow is due, 1 to 365. */
  LOAN_DAYS: Joi.number().integer().min(1).max(365).default(14),
  /** Most borrows that a user may have open; 0 = no limit. */
  MAX_OPEN_BORROWS: Joi.number().integer().min(0).max(10_000).default(0),
  /** Days for which a copy is set aside for the one whose hold it serves, up to 60; fractions count (0.5 = 12 hours). */
  HOLD_PICKUP_DAYS: Joi.number().positive().max(60).default(3),
};

/** How long things are kept, in both ways of running. */
export const retentionVariables = {
  /** Days for which the audit is kept, 1 to 3650. */
  AUDIT_RETENTION_DAYS: Joi.number().integer().min(1).max(3650).default(365),
};

export interface RetentionConfig {
  readonly AUDIT_RETENTION_DAYS: number;
}

/** Bounds of a batch, in both ways of running. */
export const batchVariables = {
  /** Most bytes of a batch's commands, 64 KiB to 16 MiB; a batch of one command may have more. */
  BATCH_BYTES_MAX: Joi.number().integer().min(65_536).max(16_777_216).default(1_048_576),
};

export interface BatchConfig {
  readonly BATCH_BYTES_MAX: number;
}

export interface RuleConfig {
  readonly LOAN_DAYS: number;
  readonly MAX_OPEN_BORROWS: number;
  readonly HOLD_PICKUP_DAYS: number;
}

const workerVariables = {
  ...serverVariables,
  ...commonVariables,
  ...ruleVariables,
  ...batchVariables,
  ...retentionVariables,
  /** Most bytes of commands that a worker holds, over all partitions, 1 MiB to 4 GiB; they are not in its heap. */
  WORKER_BYTES_MAX: Joi.number().integer().min(1_048_576).max(4_294_967_296).default(67_108_864),
  /** Port of a worker's health and metrics; 0 = off. */
  WORKER_METRICS_PORT: Joi.number().port().allow(0).default(0),
  /** Whether a message without a valid signature of this installation becomes a dead letter. */
  COMMAND_SIGNATURES: Joi.string().valid(...SIGNATURE_POLICIES).default('required'),
};

export interface WorkerConfig extends ServerConfig, CommonConfig, RuleConfig, BatchConfig, RetentionConfig {
  readonly WORKER_BYTES_MAX: number;
  readonly WORKER_METRICS_PORT: number;
  readonly COMMAND_SIGNATURES: SignaturePolicy;
}

/** @throws StartError that names every bad variable. */
export function readWorkerConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  return readEnvironment(Joi.object<WorkerConfig>(workerVariables), environment);
}

export function retentionOf({ AUDIT_RETENTION_DAYS }: RetentionConfig): Retention {
  return { auditDays: AUDIT_RETENTION_DAYS };
}

export function lendingRules({ LOAN_DAYS, MAX_OPEN_BORROWS, HOLD_PICKUP_DAYS }: RuleConfig): LendingRules {
  return { loanDays: LOAN_DAYS, maxOpenBorrows: MAX_OPEN_BORROWS, holdPickupDays: HOLD_PICKUP_DAYS };
}
