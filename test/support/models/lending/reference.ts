import type { LendingCommand } from '../../../../shared/lending/commands';
import type { Verdict } from '../verdict';
import { borrow, giveBack, remind, renew } from './reference-borrows';
import { decidePolicy } from './reference-calendar';
import { cancelHold, expireHold, placeHold } from './reference-holds';
import { ReferenceLibrary } from './reference-library';
import {
  addCopies,
  deleteCopy,
  deleteTitle,
  register,
  setStatus,
  update,
} from './reference-titles';

/**
 * The rules of lending a second time, as naively as they can be written: plain arrays, everything
 * counted anew for every question, nothing shared with the product but the shape of commands. What
 * the product decides is held against it.
 */
export class Reference extends ReferenceLibrary {
  decide(command: LendingCommand, now: Date): Verdict {
    switch (command.type) {
      case 'lending.register-book-info':
        return register(this, command, now);
      case 'lending.update-book-info':
        return update(this, command, now);
      case 'lending.delete-book-info':
        return deleteTitle(this, command, now);
      case 'lending.add-copies':
        return addCopies(this, command, now);
      case 'lending.set-copy-status':
        return setStatus(this, command, now);
      case 'lending.delete-copy':
        return deleteCopy(this, command, now);
      case 'lending.borrow-book':
        return borrow(this, command, now);
      case 'lending.return-book':
        return giveBack(this, command, now);
      case 'lending.renew-borrow':
        return renew(this, command, now);
      case 'lending.place-hold':
        return placeHold(this, command, now);
      case 'lending.cancel-hold':
        return cancelHold(this, command, now);
      case 'lending.expire-hold':
        return expireHold(this, command, now);
      case 'lending.remind-borrower':
        return remind(this, command, now);
      default:
        return decidePolicy(this, command, now);
    }
  }
}
