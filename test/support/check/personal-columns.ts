/**
 * Every column that may tell who somebody is: what an erasure makes of it, and where the export has
 * it. A column of the schema that has such a name, or holds free text, and stands in no line here
 * fails a test.
 */

/** Members of the export that are lists. */
export const EXPORT_MEMBERS = [
  'endedTokens',
  'borrows',
  'holds',
  'posts',
  'subscriptions',
  'waits',
  'notices',
  'completions',
  'courses',
  'commands',
  'audit',
  'auditOfAccount',
] as const;
type Member = 'account' | (typeof EXPORT_MEMBERS)[number];

export interface PersonalColumn {
  /** `erased`: nothing of the person is left in it. Else why it stays. */
  readonly erasure: 'erased' | { readonly stays: string };
  /** The member that has it. Else why none does. */
  readonly exported: Member | { readonly not: string };
}

const ID = { stays: 'An id, which leads to a row without a person.' };
const SHORT = { stays: 'Outcomes are kept for a day.' };
const WEEK = {
  stays: 'Events are kept for a week after they were published; whoever subscribes has had them.',
};
const UNDER_WAY = { stays: 'It goes once the command was carried out.' };
const SECRET = { not: 'A secret, and no fact about the person.' };
const DERIVED = { not: 'Made of what the export has.' };
const NOBODY = {
  erasure: { stays: 'About no person.' },
  exported: { not: 'About no person.' },
} as const;

export const PERSONAL_COLUMNS: Readonly<Record<string, PersonalColumn>> = {
  'user.id': { erasure: ID, exported: 'account' },
  'user.username': { erasure: 'erased', exported: 'account' },
  'user.login_name': { erasure: 'erased', exported: DERIVED },
  'user.login_look': { erasure: 'erased', exported: DERIVED },
  'user.email': { erasure: 'erased', exported: 'account' },
  'user.password_hash': { erasure: 'erased', exported: SECRET },
  'user.reset_id': { erasure: 'erased', exported: SECRET },
  'user.must_change_password': {
    erasure: { stays: 'About a password that is gone.' },
    exported: { not: 'A sign of the sign-in itself, not of the person.' },
  },
  'ended_token.id': { erasure: 'erased', exported: 'endedTokens' },
  'ended_token.user_id': { erasure: 'erased', exported: 'endedTokens' },
  'book_user.user_id': { erasure: ID, exported: 'borrows' },
  'lending_policy.name': NOBODY,
  'lending_policy.content': NOBODY,
  'book_hold.user_id': { erasure: ID, exported: 'holds' },
  'book_hold.open_user_id': { erasure: 'erased', exported: DERIVED },
  'notice.user_id': { erasure: 'erased', exported: 'notices' },
  'notice.about': { erasure: 'erased', exported: 'notices' },
  'notice.mail_at': {
    erasure: 'erased',
    exported: { not: 'About the e-mail, which the person has got.' },
  },
  'notice.mail_tries': {
    erasure: 'erased',
    exported: { not: 'About the e-mail, which the person has got.' },
  },
  'courses.user_id': { erasure: ID, exported: 'courses' },
  'user_courses.user_id': { erasure: ID, exported: 'subscriptions' },
  'course_waitlist.user_id': { erasure: 'erased', exported: 'waits' },
  'video_completion.user_id': { erasure: ID, exported: 'completions' },
  'post.user_id': { erasure: ID, exported: 'posts' },
  'post.title': { erasure: { stays: 'Posts stay.' }, exported: 'posts' },
  'post.content': { erasure: { stays: 'Posts stay.' }, exported: 'posts' },
  'post.tags': { erasure: { stays: 'Posts stay.' }, exported: 'posts' },
  'post_text.words': { erasure: { stays: 'Posts stay.' }, exported: DERIVED },
  'post_tag.user_id': { erasure: ID, exported: DERIVED },
  'audit.actor_id': { erasure: ID, exported: 'audit' },
  'audit.actor_name': { erasure: 'erased', exported: 'audit' },
  'audit.target': { erasure: 'erased', exported: 'auditOfAccount' },
  'audit.details': { erasure: 'erased', exported: 'audit' },
  'audit.address': { erasure: 'erased', exported: 'audit' },
  'command_outcome.owner_id': { erasure: ID, exported: 'commands' },
  'command_outcome.ending': { erasure: SHORT, exported: 'commands' },
  'command_outcome.aggregate_key': { erasure: SHORT, exported: DERIVED },
  'command_outcome.subjects': { erasure: SHORT, exported: DERIVED },
  'command_outcome.long_subjects': { erasure: SHORT, exported: DERIVED },
  'outbox.events': { erasure: WEEK, exported: DERIVED },
  'outgoing_command.envelope': {
    erasure: UNDER_WAY,
    exported: { not: 'Under way: `commands` has it once it was carried out.' },
  },
  'pending_command.envelope': {
    erasure: UNDER_WAY,
    exported: { not: 'Under way: `commands` has it once it was carried out.' },
  },
  'dead_letter.content': {
    erasure: 'erased',
    exported: { not: 'What was not carried out; operators replay or discard it.' },
  },
  'dead_letter.aggregate_key': {
    erasure: {
      stays: 'Of a signup that failed the look of the name, until an operator discards it.',
    },
    exported: DERIVED,
  },
  'partition_owner.owner': NOBODY,
  'lease.owner': NOBODY,
  'lease.name': NOBODY,
  'migration.name': NOBODY,
  'setting.name': NOBODY,
  'author.name': NOBODY,
  'author.search_name': NOBODY,
  'book_info.book_bookAuthor': NOBODY,
  'courses.course_name': NOBODY,
  'courses.search_name': NOBODY,
  'tag.name': NOBODY,
  'tag.renamed': NOBODY,
  'pending_command.partition_name': NOBODY,
  'partition_owner.partition_name': NOBODY,
  'dead_letter.partition_name': NOBODY,
  'worker_heartbeat.in_hand': NOBODY,
  'worker_heartbeat.left_to_later': NOBODY,
  'webhook.types': NOBODY,
  'webhook_delivery.body': {
    erasure: { stays: 'It goes once the webhook has had the event, as other subscribers have.' },
    exported: DERIVED,
  },
};
