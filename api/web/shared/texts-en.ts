import { counted } from './counted';
import { shownDate, shownDay, shownNearDay, shownNumber, shownTime } from './format';
import { COMMANDS, FAULTS, PROBLEMS } from './texts-en-coded';
import { englishCourses } from './texts-en-courses';

/** Every text of the pages in English. */

export const english = {
  name: 'Lendline',
  pageTitle: (heading: string) => `${heading} · Lendline`,
  skip: 'Skip to content',
  loading: 'Loading…',
  tryAgain: 'Try again',
  openElsewhere: {
    title: 'Open in another window',
    detail: 'Live updates moved to another window. Reload this page to get them here.',
  },
  noAnswer: 'No connection',
  notWritten: 'The service could not be reached. Try again: your change is never made twice.',
  notSent: 'The service could not be reached. Try again.',
  notRead: 'The library cannot be reached right now. This page tries again by itself.',
  notFresh: 'The library cannot be reached right now. You see what was loaded before.',
  offline: {
    title: 'You are offline',
    reading: (seenAt: string | null) =>
      `You see what was loaded before${seenAt === null ? '' : `, on ${shownTime(seenAt)}`}. Changes need a connection.`,
    notSent: 'Nothing was sent. Try again when you are online.',
  },
  all: 'All',
  sending: 'Sending your change. You can continue in the meantime.',
  cancel: 'Cancel',
  language: 'Language',
  problems: PROBLEMS as Readonly<Record<string, string>>,
  faults: FAULTS as Readonly<Record<string, string>>,
  requestId: (id: string) => `Request ${id}`,
  pages: {
    name: 'Pages of the list',
    previous: 'Previous',
    next: 'Next',
    position: (page: number, pages: number, isAtLeast: boolean) =>
      `Page ${page} of ${pages}${isAtLeast ? ' or more' : ''}`,
  },
  toLibrary: 'Go to the library',
  account: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    signUp: 'Create account',
    ended: 'You were signed out. Sign in again to continue.',
    username: 'Username',
    password: 'Password',
    repeat: 'Repeat the password',
    passwordRule: '8 to 128 characters. Choose one that others do not use.',
    passwordsDiffer: 'The passwords are not the same.',
    have: 'I have an account',
    haveNone: 'Create an account',
    withToken: 'Sign in with a token',
    token: 'Token from your identity provider',
    noToken: 'This is not a valid token. Copy the whole token and try again.',
    needed: 'Sign in to see this.',
    choosePassword: 'Choose a password',
    firstPassword:
      'Your first password was made for you. Replace it with your own before you continue.',
    newPassword: 'New password (8 to 128 characters)',
    savePassword: 'Save and sign in',
  },
  pending: {
    heading: 'In progress',
    command: (type: string) => (COMMANDS as Readonly<Record<string, string>>)[type] ?? type,
    unknown: 'A command',
    states: { queued: 'in progress', succeeded: 'done', failed: 'refused' },
    dismiss: 'Dismiss',
  },
  navigation: {
    books: 'Books',
    mine: 'My library',
    posts: 'Posts',
    courses: 'Courses',
    admin: 'Catalogue',
    desk: 'Desk',
  },
  books: {
    heading: 'Books',
    search: 'Search',
    words: 'Title, author or ISBN',
    order: 'Sort by',
    orders: {
      relevance: 'Best match',
      '-createdAt': 'Newest first',
      title: 'Title',
      '-popularity': 'Most borrowed',
      '-publicationDate': 'Recently published',
    },
    availableOnly: 'Available only',
    found: (count: number, isAtLeast: boolean) =>
      isAtLeast ? `More than ${shownNumber(count)} titles` : counted(count, 'title'),
    noneFound: 'No titles match. Check the spelling, or search for fewer words.',
    showAll: 'Show all books',
    filter: 'Filter',
    facetCount: (count: number, isAtLeast: boolean) =>
      isAtLeast ? `${shownNumber(count)}+` : shownNumber(count),
    anyAuthor: 'Remove this filter',
    share: 'Copy address',
    copied: 'Address copied',
    lastTime: (day: string) => `You returned this on ${day}.`,
    moreBy: (author: string) => `More by ${author}`,
    by: (author: string) => `by ${author}`,
    published: 'Published',
    isbn: 'ISBN',
    copies: 'Copies',
    inStock: 'Available',
    outOfStock: 'On loan',
    availability: (available: number, total: number) =>
      total === 0
        ? 'No copies'
        : available === 0
          ? 'All copies on loan'
          : `${available} of ${counted(total, 'copy', 'copies')} available`,
    signInToBorrow: 'Sign in to borrow',
    borrow: 'Borrow',
    collect: 'Borrow your copy',
    hold: 'Place hold',
    giveBack: 'Return',
    undoReturn: 'Borrow again',
    returned: 'Returned.',
    cancelled: 'Hold cancelled.',
    publishedOn: (date: string) => shownDate(date),
    renew: 'Renew',
    cancelHold: 'Cancel hold',
    action: (action: string, title: string) => `${action}: ${title}`,
    borrowedUntil: (dueAt: string) => `Due ${shownNearDay(dueAt)}`,
    overdueSince: (dueAt: string) => `Overdue since ${shownNearDay(dueAt)}`,
    waiting: (position: number | null) =>
      position === null ? 'You are in line.' : `You are number ${position} in line.`,
    ready: (expiresAt: string | null) =>
      expiresAt === null
        ? 'A copy is set aside for you.'
        : `A copy is set aside for you until ${shownTime(expiresAt)}.`,
  },
  home: {
    heading: 'Welcome to the library',
    current: 'Your books',
    popular: 'Popular this month',
    added: 'New in the library',
    empty: 'The catalogue is empty.',
  },
  notices: {
    heading: 'Notices',
    unread: 'unread',
    readAll: 'Mark all as read',
    none: 'No notices. You are notified here when a copy is ready or a book is due.',
    said: (type: string, until: string | null): string =>
      ({
        'lending.hold.ready': until
          ? `A copy is set aside for you until ${shownTime(until)}.`
          : 'A copy is set aside for you.',
        'lending.hold.expired': 'Your copy was not collected in time and went to the next reader.',
        'lending.borrow.due-soon': until ? `Due ${shownDay(until)}.` : 'Due soon.',
        'lending.borrow.overdue': until
          ? `Overdue since ${shownDay(until)}. Please return it.`
          : 'Overdue. Please return it.',
        'lending.borrow.lost': 'The copy that you borrowed was declared lost.',
        'courses.waitlist.promoted': 'A seat came free. You are taking this course now.',
        'courses.subscription.completed': 'You completed this course.',
      })[type] ?? type,
  },
  mine: {
    heading: 'My library',
    borrowed: 'Borrowed',
    holds: 'Holds',
    history: 'History',
    noBorrows: 'No borrowed books.',
    browse: 'Browse books',
    noHolds: 'No holds. Place one on a title whose copies are on loan.',
    noHistory: 'No returned books yet.',
    title: 'Title',
    from: 'Borrowed',
    until: 'Returned',
    lost: 'lost',
  },
  posts: {
    heading: 'Posts',
    byTags: 'Posts with all of these tags',
    all: 'Latest posts',
    empty: 'No posts yet. Write the first one.',
    none: 'No posts have all of these tags. Remove a tag to see more.',
    write: 'Write post',
    title: 'Title',
    content: 'Text',
    publish: 'Publish',
    done: (title: string) => `Published: ${title}`,
    published: (day: string) => `Published ${shownDate(day)}`,
    remove: 'Delete',
    edit: 'Edit post',
    save: 'Save',
    changed: 'edited',
    notYours: 'Only its author and administrators can edit this post.',
    fresh: (count: number, isMore: boolean) =>
      `${shownNumber(count)}${isMore ? '+' : ''} new ${count === 1 ? 'post' : 'posts'}`,
    removeQuestion: 'Delete this post? This cannot be undone.',
    preview: 'Preview',
    tags: 'Tags',
    tagsHint: 'Type a tag and press Enter.',
    noSuchTag: 'No matching tags.',
    chosenTags: 'Selected tags',
    removeTag: (name: string) => `Remove tag ${name}`,
    postCount: (count: number) => counted(count, 'post'),
    newer: 'Newer',
    older: 'Older',
    related: 'Related tags',
    feed: 'Feed (Atom)',
  },
  courses: englishCourses,
};

/** The texts that `texts-ko.ts` must have, too. */
export type Texts = typeof english;
