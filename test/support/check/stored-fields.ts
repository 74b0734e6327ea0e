/**
 * The columns that store the texts and numbers of payloads: for each service, a field to its
 * columns. Null: no column has the value alone. `[]` marks what a list has, and `changes.` is left
 * out.
 */
export type StoredFields = Readonly<
  Record<string, Readonly<Record<string, readonly string[] | null>>>
>;

export const STORED_FIELDS: StoredFields = {
  identity: {
    username: ['user.username'],
    passwordHash: ['user.password_hash'],
    role: ['user.role'],
    userId: ['user.id', 'ended_token.user_id'],
    // Compared with the account's.
    generation: null,
    tokenId: ['ended_token.id'],
    expiresAt: ['ended_token.expires_at'],
    email: ['user.email'],
    locale: ['user.locale'],
    status: ['user.status', 'webhook.status'],
    category: ['user.category'],
    resetId: ['user.reset_id'],
    noticeId: ['notice.id'],
    url: ['webhook.url'],
    // One JSON text.
    'types[]': null,
    sealedSecret: ['webhook.sealed_secret', 'webhook.former_secret'],
    webhookId: ['webhook.id'],
    partitions: ['partition_layout.partitions', 'partition_layout.resize_to'],
    worker: ['worker_heartbeat.worker'],
  },
  lending: {
    title: ['book_info.book_title'],
    author: ['author.name'],
    isbn: ['book_info.isbn'],
    publicationDate: ['book_info.publication_date'],
    bookImg: ['book_info.book_img', 'book_img.url'],
    // Numbers of rows.
    copies: null,
    count: null,
    onDuplicate: null,
    bookInfoId: ['book.book_info_id', 'book_user.book_info_id', 'book_hold.book_info_id'],
    // Compared with the row's.
    ifVersion: null,
    'barcodes[]': ['book.barcode'],
    kind: ['book.kind'],
    bookId: ['book_user.book_id'],
    status: ['book.status'],
    barcode: ['book.barcode'],
    userId: ['book_user.user_id'],
    borrowId: ['book_user.id'],
    holdId: ['book_hold.id'],
    reminder: ['book_user.reminder'],
    // One JSON text, lending_policy.content.
    'rules[].category': null,
    'rules[].kind': null,
    'rules[].loanDays': null,
    'rules[].renewalsMax': null,
    'rules[].maxOpenBorrows': null,
    'rules[].holdsMax': null,
    'rules[].blockOverdueDays': null,
    timeZone: null,
    'closedWeekdays[]': null,
    'closedDates[]': null,
  },
  posts: {
    title: ['post.title'],
    content: ['post.content'],
    'tags[]': ['tag.name'],
    userId: ['post.user_id', 'post_tag.user_id'],
    postId: ['post_tag.post_id'],
    'ifTags[]': null,
    name: ['tag.name'],
    into: ['tag.name'],
    to: ['tag.name'],
  },
  courses: {
    courseName: ['courses.course_name'],
    userId: ['courses.user_id', 'user_courses.user_id', 'course_waitlist.user_id'],
    capacity: ['courses.capacity'],
    courseId: ['course_video.course_id', 'user_courses.course_id'],
    status: ['courses.status'],
    'ifMatch[]': null,
    title: ['course_video.title'],
    url: ['course_video.url'],
    position: ['course_video.position'],
    durationSeconds: ['course_video.duration_seconds'],
    videoId: ['video_completion.video_id'],
    'userIds[]': ['user_courses.user_id'],
  },
};
