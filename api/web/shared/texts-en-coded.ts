/** Texts of what the service names by a code, in English. */

/** What a command wants, by its type. */
export const COMMANDS = {
  'lending.borrow-book': 'Borrow',
  'lending.return-book': 'Return',
  'lending.renew-borrow': 'Renew',
  'lending.place-hold': 'Place hold',
  'lending.cancel-hold': 'Cancel hold',
  'lending.register-book-info': 'Add title',
  'lending.update-book-info': 'Edit title',
  'lending.add-copies': 'Add copies',
  'posts.create-post': 'Publish post',
  'courses.subscribe': 'Subscribe',
  'courses.cancel-subscription': 'Cancel subscription',
  'courses.complete-subscription': 'Complete course',
  'courses.add-video': 'Add video',
  'courses.update-course': 'Edit course',
  'courses.delete-course': 'Delete course',
  'courses.update-video': 'Edit video',
  'courses.delete-video': 'Delete video',
  'courses.subscribe-many': 'Subscribe users',
  'courses.complete-video': 'Complete video',
  'courses.uncomplete-video': 'Mark video as not completed',
  'courses.join-waitlist': 'Join waitlist',
  'courses.leave-waitlist': 'Leave waitlist',
  'lending.delete-book-info': 'Delete title',
  'lending.set-copy-status': 'Change copy',
  'lending.delete-copy': 'Delete copy',
  'posts.update-post': 'Edit post',
  'posts.delete-post': 'Delete post',
  'courses.register-course': 'Create course',
  'identity.update-user': 'Change account',
  'identity.erase-user': 'Erase account',
  'identity.issue-password-reset': 'Reset password',
  'identity.create-webhook': 'Add webhook',
  'identity.delete-webhook': 'Delete webhook',
  'identity.test-webhook': 'Test webhook',
  'identity.read-notices': 'Mark notices as read',
  'identity.create-account': 'Create account',
};

/** Why something is refused, by its code. */
export const PROBLEMS = {
  VALIDATION_FAILED: 'Please check the marked fields.',
  INVALID_CREDENTIALS: 'The username or the password is wrong.',
  USERNAME_TAKEN: 'This username is taken. Choose another one.',
  FORBIDDEN: 'Your account may not do this.',
  BOOK_INFO_NOT_FOUND: 'This title is no longer in the catalogue.',
  BORROW_NOT_FOUND: 'This loan no longer exists.',
  HOLD_NOT_FOUND: 'This hold no longer exists.',
  POST_NOT_FOUND: 'This post no longer exists.',
  COURSE_NOT_FOUND: 'This course no longer exists.',
  VIDEO_NOT_FOUND: 'This video no longer exists.',
  ALREADY_BORROWED: 'You have borrowed this title already.',
  OUT_OF_STOCK: 'No copy is available. Place a hold to wait for one.',
  COPY_NOT_AVAILABLE: 'This copy is not available.',
  LOAN_LIMIT_REACHED: 'You have as many books as you may borrow. Return one first.',
  ALREADY_RETURNED: 'This book is returned already.',
  RENEWAL_LIMIT_REACHED: 'You cannot renew this loan again.',
  HELD_BY_OTHERS: 'Other readers are waiting for this title, so it cannot be renewed.',
  ALREADY_HELD: 'You have a hold on this title already.',
  STOCK_AVAILABLE: 'A copy is available. Borrow it now.',
  HOLD_LINE_FULL: 'Too many readers are waiting for this title. Try again later.',
  HOLD_LIMIT_REACHED: 'You have as many holds as you may place. Cancel one first.',
  OVERDUE_BLOCKED: 'One of your loans is overdue. Return it first.',
  ALREADY_SUBSCRIBED: 'You are taking this course already.',
  COURSE_FULL: 'The course is full. Join the waitlist.',
  COURSE_CLOSED: 'The course takes no new subscribers.',
  SUBSCRIPTION_COMPLETED: 'You have completed this course.',
  SEATS_AVAILABLE: 'A seat is free. Subscribe now.',
  WAITLIST_ENTRY_NOT_FOUND: 'You are no longer on the waitlist.',
  CAPACITY_BELOW_SUBSCRIBERS: 'More people take the course than that. Choose more places.',
  COURSE_HAS_SUBSCRIBERS: 'Somebody takes this course. Archive it instead.',
  ALREADY_WAITING: 'You are on the waitlist already.',
  WAITLIST_FULL: 'The waitlist is full. Try again later.',
  VERSION_MISMATCH: 'This was changed meanwhile. Look at it again.',
  RATE_LIMITED: 'That was too often. Wait a moment.',
  COMMAND_FAILED: 'This did not work. The library looks into it; nothing was changed.',
  INTERNAL: 'Something went wrong at the library. Try again later.',
  UNAVAILABLE: 'The library is busy. Nothing was changed; try again in a moment.',
};

/** What is wrong with a field, by the code. */
export const FAULTS = {
  REQUIRED: 'Fill in this field.',
  TOO_SHORT: 'This is too short.',
  TOO_LONG: 'This is too long.',
  INVALID_ISBN: 'This is not an ISBN. It has 10 or 13 digits.',
  INVALID_FORMAT: 'This cannot be read. Check how it is written.',
  INVALID_VALUE: 'This cannot be used. Choose another one.',
  OUT_OF_RANGE: 'This number is too small or too large.',
  TAGS_REQUIRED: 'Add a tag.',
};

/** Korean must have a text for each of these as well. */
export type Coded = Readonly<{
  commands: Record<keyof typeof COMMANDS, string>;
  problems: Record<keyof typeof PROBLEMS, string>;
  faults: Record<keyof typeof FAULTS, string>;
}>;
