import { admin, check, get, newPerson, notified, patch, post, put, refused } from './calls.mjs';
import { run, tell } from './calls.mjs';

/** A library's day, from nine in the morning to nine in the evening. */

const DAY_MS = 24 * 3600 * 1000;
const RULES = '/api/loan-rules';
const CALENDAR = '/api/calendar';
const student = `student-${run}`;
const film = `film-${run}`;
/** Whoever runs this can make a loan overdue, or wait for a day. */
const { OVERDUE } = process.env;

const dateIn = (days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const renew = (borrowId, options) => post(`/api/borrows/${borrowId}/renewals`, undefined, options);

/** A title with copies of these barcodes. */
async function shelved(title, barcodes, kind) {
  const { bookInfoId } = await post('/api/book-infos', { title, author: 'Frank Herbert' }, admin);
  const copies = { barcodes, ...(kind && { kind }) };
  await post(`/api/book-infos/${bookInfoId}/books`, copies, admin);
  return bookInfoId;
}

/** What a story changes for all readers is put back, also when it fails. */
export async function librarysDay() {
  const [{ rules }, calendar] = [await get(RULES), await get(CALENDAR)];
  const { timeZone, closedWeekdays, closedDates } = calendar;
  try {
    await day(rules);
  } finally {
    await put(RULES, { rules }, admin);
    await put(CALENDAR, { timeZone, closedWeekdays, closedDates }, admin);
  }
}

async function day(rules) {
  const title = `Dune ${run}`;
  const barcodes = [`${run}-1`, `${run}-2`];
  const bookInfoId = await shelved(title, barcodes);
  await shelved(`Companion to ${title}`, [`${run}-3`]);
  const { items } = await get(`/api/book-infos?title=${encodeURIComponent(title)}`);
  check(items[0].bookInfoId === bookInfoId, 'the title itself is found before its companion');
  const copy = await get(`/api/books/${barcodes[0]}`, admin);
  check(copy.bookInfoId === bookInfoId, 'its barcode names the copy');
  tell('09:00  A novel is shelved with two copies.');

  const late = await byTheRules(rules, bookInfoId);
  tell('10:00  Students have a day for a book, and a week for a film. Tomorrow is closed.');

  const readers = await lent(bookInfoId, barcodes);
  tell('11:00  Ada and Ben have borrowed it, and Cleo waits.');

  await fetched(bookInfoId, barcodes[0], readers);
  tell('15:00  Cleo has fetched it and renewed it.');

  await manyAtOnce(readers.cleo);
  tell('17:00  The desk lends and takes back many books at a time.');

  await evening(bookInfoId, barcodes, copy.bookId);
  tell('19:00  Everything is back, and one copy goes to be mended.');

  await reminded(late);
  tell('21:00  Who is late was told, and may borrow again.');
}

/** Rules by category and kind, and a closed day. */
async function byTheRules(rules, novel) {
  const dan = await newPerson('dan');
  const book = await shelved(`Ubik ${run}`, [`${run}-4`]);
  const onFilm = await shelved(`Solaris ${run}`, [`${run}-5`], film);
  const other = await shelved(`Kindred ${run}`, [`${run}-6`]);
  const own = [
    { category: student, kind: '*', loanDays: 1, renewalsMax: 0, blockOverdueDays: 0 },
    { category: student, kind: film, loanDays: 7, maxOpenBorrows: 1 },
  ];
  await put(RULES, { rules: [...rules, ...own] }, admin);
  await patch(`/api/users/${dan.userId}`, { category: student }, admin);
  const open = { timeZone: 'UTC', closedWeekdays: [], closedDates: [] };
  await put(CALENDAR, open, admin);
  const loan = await post('/api/borrows', { bookInfoId: book }, dan);
  check(loan.dueAt.slice(0, 10) === dateIn(1), 'a loan of a day is due tomorrow');
  await renew(loan.borrowId, refused('RENEWAL_LIMIT_REACHED', dan));
  await put(CALENDAR, { ...open, closedDates: [dateIn(1)] }, admin);
  const second = await post('/api/borrows', { bookInfoId: novel }, dan);
  check(second.dueAt.slice(0, 10) === dateIn(2), 'where tomorrow is closed, it is the day after');
  const week = await post('/api/borrows', { bookInfoId: onFilm }, dan);
  check(week.dueAt.slice(0, 10) === dateIn(7), 'a film is due in a week');
  const { blockers } = await post(
    '/api/borrows?dryRun=true',
    { bookInfoId: onFilm },
    { ...dan, wants: 200 },
  );
  const codes = blockers.map(({ code }) => code);
  check(codes.includes('ALREADY_BORROWED'), 'everything that stands in the way is told');
  await post('/api/returns', { borrowId: second.borrowId }, { ...dan, wants: 200 });
  return { dan, loan, other };
}

async function lent(bookInfoId, [barcode]) {
  const [ada, ben, cleo] = [
    await newPerson('ada'),
    await newPerson('ben'),
    await newPerson('cleo'),
  ];
  const byDesk = await post('/api/borrows', { barcode, userId: ada.userId }, admin);
  check(byDesk.userId === ada.userId, 'the desk lends to Ada');
  const { allowed } = await post(
    '/api/borrows?dryRun=true',
    { bookInfoId },
    { ...ben, wants: 200 },
  );
  check(allowed, 'Ben may borrow');
  await post('/api/borrows', { bookInfoId }, ben);
  await post('/api/borrows', { bookInfoId }, refused('ALREADY_BORROWED', ben));
  await post('/api/borrows', { bookInfoId }, refused('OUT_OF_STOCK', cleo));
  const { holdId, position } = await post(`/api/book-infos/${bookInfoId}/holds`, undefined, cleo);
  check(position === 1, 'Cleo is the first in line');
  await renew(byDesk.borrowId, refused('HELD_BY_OTHERS', ada));
  return { ada, cleo, holdId };
}

async function fetched(bookInfoId, barcode, { ada, cleo, holdId }) {
  await post('/api/returns', { barcode }, { ...admin, wants: 200 });
  const ready = await get(`/api/holds/${holdId}`, cleo);
  check(ready.status === 'READY', 'the copy is set aside for Cleo');
  const notice = await notified(cleo, 'lending.hold.ready');
  check(notice.holdId === holdId, 'Cleo is told so');
  await post('/api/borrows', { bookInfoId }, refused('OUT_OF_STOCK', ada));
  const borrow = await post('/api/borrows', { bookInfoId }, cleo);
  const renewed = await renew(borrow.borrowId, { ...cleo, wants: 200 });
  check(renewed.dueAt > borrow.dueAt, 'a renewed borrow is due later');
}

async function manyAtOnce({ userId }) {
  const barcodes = [7, 8, 9].map((number) => `${run}-${number}`);
  for (const [index, barcode] of barcodes.entries())
    await shelved(`Shelf ${index} ${run}`, [barcode]);
  const items = [...barcodes, barcodes[0]].map((barcode) => ({ barcode, userId }));
  const out = await post('/api/borrows/bulk', { items }, { ...admin, wants: 200 });
  const statuses = out.items.map(({ httpStatus }) => httpStatus);
  check(statuses.join() === '201,201,201,409', 'three are lent, and one of them not twice');
  const given = { items: barcodes.map((barcode) => ({ barcode })) };
  const back = await post('/api/returns/bulk', given, { ...admin, wants: 200 });
  check(
    back.items.every(({ httpStatus }) => httpStatus === 200),
    'all came back',
  );
}

async function evening(bookInfoId, barcodes, bookId) {
  for (const barcode of barcodes) await post('/api/returns', { barcode }, { ...admin, wants: 200 });
  await patch(`/api/book-infos/${bookInfoId}/books/${bookId}`, { status: 'DAMAGED' }, admin);
  const shown = await get(`/api/book-infos/${bookInfoId}`);
  check(shown.totalStock === 2 && shown.availableStock === 1, 'one of two can be lent');
  const csv = await get(`/api/borrow-histories?bookInfoId=${bookInfoId}`, {
    ...admin,
    accept: 'text/csv',
  });
  check(csv.trim().split('\n').length === 5, 'the list of the day has four borrows');
}

async function reminded({ dan, loan, other }) {
  const soon = await notified(dan, 'lending.borrow.due-soon');
  check(soon.borrowId === loan.borrowId, 'Dan is told that a loan is due soon');
  if (OVERDUE === 'true') {
    tell(`20:00  Borrow ${loan.borrowId} becomes overdue.`);
    await notified(dan, 'lending.borrow.overdue');
    const { items } = await get('/api/borrow-histories?me=true&overdue=true', dan);
    check(items.length === 1 && items[0].overdue, 'the loan is in the list of what is late');
    await post('/api/borrows', { bookInfoId: other }, refused('OVERDUE_BLOCKED', dan));
  }
  await post('/api/returns', { borrowId: loan.borrowId }, { ...dan, wants: 200 });
  await post('/api/borrows', { bookInfoId: other }, dan);
}
