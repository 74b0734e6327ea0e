/** Every text of the pages, in English. */

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** An RFC 3339 instant as people write it, in the zone of the browser. */
export const shownDay = (instant: string): string => dayFormat.format(new Date(instant));
const shownTime = (instant: string): string => timeFormat.format(new Date(instant));

const momentFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const rounded = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
const shownAge = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.floor(seconds / 60)} min`
      : `${Math.floor(seconds / 3600)} h`;

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** What a command wants, by its type. */
const COMMANDS: Readonly<Record<string, string>> = {
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
  'identity.create-account': 'Create account',
};

export const texts = {
  name: 'Lendline',
  pageTitle: (heading: string) => `${heading} · Lendline`,
  skip: 'Skip to content',
  loading: 'Loading…',
  tryAgain: 'Try again',
  openElsewhere: {
    title: 'Open in another window',
    detail: 'Live updates moved to another window. Reload this page to get them here.',
  },
  noAnswer: 'No answer',
  noAnswerDetail: 'The service could not be reached. Try again: your change is never made twice.',
  requestId: (id: string) => `Request ${id}`,
  pages: {
    name: 'Pages of the list',
    previous: 'Previous',
    next: 'Next',
    position: (page: number, pages: number, isAtLeast: boolean) =>
      `Page ${page} of ${pages}${isAtLeast ? ' or more' : ''}`,
  },
  account: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    signUp: 'Create account',
    signedInAs: (username: string, isAdmin: boolean) =>
      isAdmin ? `${username} (administrator)` : username,
    ended: 'You were signed out. Sign in again to continue.',
    username: 'Username',
    password: 'Password',
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
    command: (type: string) => COMMANDS[type] ?? type,
    unknown: 'A command',
    states: { queued: 'in progress', succeeded: 'done', failed: 'refused' },
    dismiss: 'Dismiss',
  },
  navigation: {
    books: 'Books',
    mine: 'My books',
    posts: 'Posts',
    courses: 'Courses',
    admin: 'Catalogue',
  },
  books: {
    heading: 'Books',
    search: 'Search',
    words: 'Title, author or ISBN',
    order: 'Sort by',
    orders: {
      '-createdAt': 'Newest first',
      title: 'Title',
      '-popularity': 'Most borrowed',
      '-publicationDate': 'Recently published',
    },
    availableOnly: 'Available only',
    found: (count: number, isAtLeast: boolean) =>
      isAtLeast ? `More than ${count} titles` : counted(count, 'title'),
    by: (author: string) => `by ${author}`,
    published: 'Published',
    isbn: 'ISBN',
    copies: 'Copies',
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
    renew: 'Renew',
    cancelHold: 'Cancel hold',
    action: (action: string, title: string) => `${action}: ${title}`,
    borrowedUntil: (dueAt: string) => `Due ${shownDay(dueAt)}.`,
    overdueSince: (dueAt: string) => `Overdue since ${shownDay(dueAt)}. Please return it.`,
    waiting: (position: number | null) =>
      position === null ? 'You are in line.' : `You are number ${position} in line.`,
    ready: (expiresAt: string | null) =>
      expiresAt === null
        ? 'A copy is set aside for you.'
        : `A copy is set aside for you until ${shownTime(expiresAt)}.`,
  },
  mine: {
    heading: 'My books',
    borrowed: 'Borrowed',
    holds: 'Holds',
    history: 'History',
    noBorrows: 'No borrowed books. Search the catalogue to borrow one.',
    noHolds: 'No holds.',
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
    published: (day: string) => `Published ${shownDay(day)}`,
    remove: 'Delete',
    tags: 'Tags',
    tagsHint: 'Type a tag and press Enter.',
    noSuchTag: 'No matching tags.',
    chosenTags: 'Selected tags',
    removeTag: (name: string) => `Remove tag ${name}`,
    postCount: (count: number) => counted(count, 'post'),
    newer: 'Newer',
    older: 'Older',
  },
  courses: {
    heading: 'Courses',
    mine: 'My courses',
    all: 'All courses',
    search: 'Search',
    words: 'Course name',
    noneFound: 'No courses found.',
    none: "You aren't taking any courses yet. Choose one below.",
    lecturer: 'Lecturer',
    videos: 'Videos',
    videoCount: (count: number) => counted(count, 'video'),
    subscribers: (count: number, capacity: number | null) =>
      capacity === null
        ? counted(count, 'subscriber')
        : `${count} of ${counted(capacity, 'place')} taken`,
    full: 'The course is full.',
    signInToSubscribe: 'Sign in to subscribe',
    subscribe: 'Subscribe',
    complete: 'Complete',
    cancel: 'Cancel subscription',
    states: {
      in_progress: 'You are taking this course.',
      completed: 'You completed this course.',
      cancelled: 'You cancelled this course.',
    },
    completedAt: (instant: string) => `Completed on ${shownDay(instant)}`,
    seconds: (seconds: number) =>
      `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
    addVideo: 'Add video',
    videoTitle: 'Title',
    url: 'URL',
    duration: 'Length (seconds)',
  },
  admin: {
    heading: 'Catalogue',
    register: 'Add title',
    change: 'Edit title',
    save: 'Save',
    saved: 'Saved.',
    registered: (title: string) => `Added: ${title}`,
    title: 'Title',
    author: 'Author',
    isbn: 'ISBN',
    publicationDate: 'Publication date',
    bookImg: 'Cover URL',
    copies: 'Copies',
    addCopies: 'Add copies',
    add: 'Add',
    added: (count: number) => `Added ${counted(count, 'copy', 'copies')}.`,
    count: 'Number of copies',
    import: 'Import titles',
    importHint:
      'Choose a CSV file in UTF-8. Its first line names the columns: title and author, and optionally isbn, publicationDate, bookImg and copies. A known ISBN stays as it is. A row without ISBN is a new title. For long files, use the command import-books.',
    file: 'File',
    importRows: 'Import',
    imported: (done: number, total: number) => `${done} of ${counted(total, 'row')}`,
    importResults: (registered: number, there: number, refused: number) =>
      `${registered} added, ${there} known already, ${refused} refused`,
    missingColumn: (name: string) => `The first line has no column ${name}.`,
    noRows: 'The file has no rows.',
    tooManyRows: (limit: number) =>
      `The file has more than ${limit} rows. Use the command import-books.`,
    notNumber: 'copies must be a whole number',
    line: 'Line',
    why: 'Reason',
  },
  console: {
    name: 'Lendline console',
    adminsOnly: "The console is for administrators. Sign in with an administrator's account.",
    databaseAway: 'The database is unavailable. Data from it may be out of date.',
    unknown: 'unknown',
    older: 'Older',
    more: 'More',
    instant: (instant: string) => momentFormat.format(new Date(instant)),
    chart: (name: string, latest: string) => `Chart of the last minutes: ${name}. Now: ${latest}.`,
    chartTime: (seconds: number) => clockFormat.format(new Date(seconds * 1000)),
    chartValue: (label: string, value: number | null) =>
      value === null ? 'unknown' : `${rounded(value)} ${label}`,
    count: (count: number | null) => (count === null ? 'unknown' : String(count)),
    rate: (perSecond: number) => rounded(perSecond),
    ms: (ms: number) => `${ms} ms`,
    age: (ms: number | null) =>
      ms === null ? '–' : ms < 1000 ? `${ms} ms` : `${rounded(ms / 1000)} s`,
    after: (ms: number | null) => (ms === null ? 'unknown' : `+ ${ms} ms`),
    partitions: {
      heading: 'Partitions',
      partition: 'Partition',
      depth: 'Depth',
      waiting: 'waiting',
      oldest: 'Oldest command',
      seconds: 's',
      perSecond: 'Commands per second',
      ended: 'per second',
      owner: 'Owner',
      nobody: 'none',
      epoch: 'Epoch',
      busyOnly: 'Only partitions with commands',
      none: 'No partition has waiting commands.',
    },
    workers: {
      heading: 'Workers',
      worker: 'Worker',
      heartbeat: 'Heartbeat',
      beat: (ms: number) => (ms < 5000 ? 'alive' : `silent for ${Math.round(ms / 1000)} s`),
      count: 'Partitions',
      partitions: 'Owned partitions',
      show: 'Show',
      nothing: 'none',
      none: 'No worker is running. Start one with npm run start:worker.',
    },
    commands: {
      heading: 'Commands',
      latencies: 'Latency by type',
      type: 'Type',
      p50: 'Median',
      p99: 'p99',
      noTypes: 'No commands ended in the last minute.',
      search: 'Find commands',
      by: 'Search by',
      kinds: { aggregate: 'Aggregate', userId: 'User', id: 'Command id' },
      words: 'Value',
      example: 'book-info:42',
      find: 'Find',
      results: 'Results',
      none: 'No matching commands in the last 24 hours.',
      states: { queued: 'in progress', succeeded: 'done', failed: 'refused' },
      user: 'User',
      nobody: 'none',
      request: 'Request',
      refusal: 'Refusal',
      way: 'Timeline',
      steps: {
        received: 'Received',
        confirmed: 'Confirmed',
        taken: 'Taken',
        decided: 'Decided',
        committed: 'Committed',
        answered: 'Answered',
      },
    },
    letters: {
      heading: 'Dead letters',
      explained:
        'Commands that could not be carried out, and later ones parked behind them. Repair the cause first. Then replay them in order, or discard them.',
      none: 'No dead letters.',
      unreadable: 'Unreadable message',
      name: (letter: number) => `Dead letter ${letter}`,
      summary: (letter: number, ageSeconds: number, isParked: boolean) =>
        `dead letter ${letter}, ${shownAge(ageSeconds)} old${isParked ? ', parked behind another' : ''}`,
      content: 'Message',
      replay: 'Replay aggregate',
      released: 'Replaying: a worker carries it out.',
      discard: 'Discard',
      discardExplained: 'The command is removed permanently and stays failed.',
      discardReally: 'Discard permanently',
      keep: 'Keep',
      named: (action: string, letter: number) => `${action}: dead letter ${letter}`,
    },
    events: {
      heading: 'Events',
      type: 'Event type',
      example: 'lending.borrow',
      show: 'Show',
      none: 'No events yet. New events appear here as they happen.',
    },
  },
} as const;
