import type { LendingCommand } from '../../shared/lending/commands';
import type { DecisionContext } from '../batch/service/decision';
import { borrowBook, checkBorrow } from './decide-borrows';
import { addCopies, deleteCopy, setCopyStatus } from './decide-copies';
import { cancelHold, expireHold, placeHold } from './decide-holds';
import { setCalendar, setLoanRules } from './decide-policies';
import { remindBorrower, renewBorrow, returnBook } from './decide-returns';
import { deleteBookInfo, registerBookInfo, updateBookInfo } from './decide-titles';
import { noReader, type LendingDecision, type LendingRules } from './decided';
import type { AnyLendingId } from './needs';
import type { LendingView } from './view';

function decide(
  state: LendingView,
  command: Exclude<
    LendingCommand,
    { readonly type: 'lending.check-borrow' | 'lending.set-calendar' }
  >,
  context: DecisionContext<AnyLendingId>,
  rules: LendingRules,
): LendingDecision {
  switch (command.type) {
    case 'lending.register-book-info':
      return registerBookInfo({ state, command, context, rules });
    case 'lending.update-book-info':
      return updateBookInfo({ state, command, context, rules });
    case 'lending.delete-book-info':
      return deleteBookInfo({ state, command, context, rules });
    case 'lending.add-copies':
      return addCopies({ state, command, context, rules });
    case 'lending.set-copy-status':
      return setCopyStatus({ state, command, context, rules });
    case 'lending.delete-copy':
      return deleteCopy({ state, command, context, rules });
    case 'lending.borrow-book':
      return borrowBook({ state, command, context, rules });
    case 'lending.return-book':
      return returnBook({ state, command, context, rules });
    case 'lending.renew-borrow':
      return renewBorrow({ state, command, context, rules });
    case 'lending.place-hold':
      return placeHold({ state, command, context, rules });
    case 'lending.cancel-hold':
      return cancelHold({ state, command, context, rules });
    case 'lending.expire-hold':
      return expireHold({ state, command, context, rules });
    case 'lending.remind-borrower':
      return remindBorrower({ state, command, context, rules });
    case 'lending.set-loan-rules':
      return setLoanRules({ state, command, context, rules });
  }
}

/**
 * Decides a command of library lending. Pure: state, clock, ids and limits come in, and a decision
 * and the changed rows go out. A user who was erased after sending the command gets nothing.
 */
export function decideLending(
  state: LendingView,
  command: LendingCommand,
  context: DecisionContext<AnyLendingId>,
  rules: LendingRules,
): LendingDecision {
  const { userId } = command.actor;
  if (userId !== null && state.isErased(userId)) return noReader();
  switch (command.type) {
    case 'lending.check-borrow':
      return checkBorrow({ state, command, context, rules });
    case 'lending.set-calendar':
      return setCalendar({ state, command, context, rules });
    default:
      return decide(state, command, context, rules);
  }
}
