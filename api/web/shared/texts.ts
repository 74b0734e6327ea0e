/** Every text of the pages, in English. */

const COMMANDS: Readonly<Record<string, string>> = {
  'lending.borrow-book': 'Borrow a title',
  'lending.return-book': 'Return a book',
  'lending.renew-borrow': 'Renew a borrow',
  'identity.create-account': 'Make an account',
};

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** An RFC 3339 instant as people write it, in the zone of the browser. */
export const shownDay = (instant: string): string => dayFormat.format(new Date(instant));
export const shownTime = (instant: string): string => timeFormat.format(new Date(instant));

export const texts = {
  name: 'Lendline',
  skip: 'Skip to the content',
  loading: 'Loading …',
  nothingHere: 'There is nothing here.',
  tryAgain: 'Try again',
  noAnswer: 'No answer',
  noAnswerDetail: 'The service could not be reached. What was sent may have arrived: trying again does it once at most.',
  requestId: (id: string) => `Request ${id}`,
  account: {
    signIn: 'Sign in',
    signOut: 'Sign out',
    signUp: 'Make an account',
    signedInAs: (username: string, isAdmin: boolean) => (isAdmin ? `${username} (administrator)` : username),
    ended: 'Your sign-in has ended. Sign in again to go on.',
    username: 'Username',
    password: 'Password',
    withToken: 'Sign in with a token',
    token: 'Token of your identity provider',
    noToken: 'That is not a token.',
  },
  pending: {
    heading: 'Under way',
    command: (type: string) => COMMANDS[type] ?? type,
    unknown: 'A command',
    states: { queued: 'under way', succeeded: 'done', failed: 'refused' },
    dismiss: 'Dismiss',
  },
} as const;
