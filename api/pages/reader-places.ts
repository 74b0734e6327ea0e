/**
 * Addresses of places of the readers' page, which shows the place by its address. No endpoint has
 * one of them: endpoints are found first, and a test compares both.
 */
export const READER_PLACES = [
  ...['/books', '/books/:id', '/library', '/notices', '/board', '/board/:id', '/board/:id/edit'],
  ...['/learn', '/learn/:id', '/learn/:id/desk', '/learn/:id/watch/:videoId'],
  ...['/admin', '/sign-in', '/sign-up'],
];
