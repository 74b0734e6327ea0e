import type { OpenDays } from '../../shared/lending/calendar';
import { CALENDAR, LOAN_RULES } from '../../shared/lending/commands';
import type { LoanRule } from '../../shared/lending/loan-rules';
import { LendingPolicy } from '../../shared/lending/tables';
import { PlanOutdated } from '../batch/failures/retry';
import type { Read } from '../batch/service/state-plan';
import { insert, instant } from '../batch/sql/statements';
import type { Row, Statement } from '../batch/sql/transaction';
import { Calendar } from './calendar';
import { LoanRules } from './loan-rules';
import { NO_POLICIES, type Policies } from './policies';
import type { LendingState } from './state';

/**
 * The policies as this process has read them. Each batch selects newer ones in its transaction,
 * which usually finds no row. When it finds some, the batch is planned again.
 */
export class KnownPolicies {
  private current = NO_POLICIES;

  get policies(): Policies {
    return this.current;
  }

  /** Reads newer policies. Must be the first read of a plan that was made with the known ones. */
  read(): Read<LendingState> {
    const { loanRules, calendar } = this.current;
    return {
      statement: {
        sql: 'SELECT name, version, content, modified_at FROM lending_policy WHERE (name = ? AND version <> ?) OR (name = ? AND version <> ?)',
        values: [LOAN_RULES, loanRules.row.version, CALENDAR, calendar.row.version],
      },
      apply: (rows) => {
        if (rows.length === 0) return;
        this.current = Object.assign({}, this.current, ...rows.map(policyOf)) as Policies;
        throw new PlanOutdated('the policies of lending have changed');
      },
    };
  }
}

function policyOf({ name, version, content, modified_at: modifiedAt }: Row): Partial<Policies> {
  const row = { version: Number(version), modifiedAt: instant(modifiedAt) };
  const given: unknown = JSON.parse(content as string);
  return name === LOAN_RULES
    ? { loanRules: new LoanRules({ ...row, rules: given as LoanRule[] }) }
    : { calendar: new Calendar({ ...row, ...(given as OpenDays) }) };
}

/** Writes of policies that a batch has changed. */
export function policyWrites({ loanRules, calendar }: Partial<Policies>): Statement[] {
  const rows = [];
  if (loanRules) {
    const { rules, version, modifiedAt } = loanRules.row;
    rows.push({ name: LOAN_RULES, version, content: JSON.stringify(rules), modifiedAt });
  }
  if (calendar) {
    const { version, modifiedAt, ...openDays } = calendar.row;
    rows.push({ name: CALENDAR, version, content: JSON.stringify(openDays), modifiedAt });
  }
  return insert(LendingPolicy, rows).map(({ sql, values }) => ({
    sql: sql.replace('INSERT', 'REPLACE'),
    values,
  }));
}
