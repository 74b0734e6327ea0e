import type { AddressInfo } from 'node:net';
import express from 'express';

/**
 * The least that a service on Express does: it finds the route, parses the body, and answers with
 * JSON that it has at hand. The measure for ours.
 */

const book = {
  bookInfoId: 1,
  title: 'The Hunger Games (The Hunger Games, #1)',
  author: 'Suzanne Collins',
  authorId: 1,
  isbn: '9780439023481',
  publicationDate: '2008-01-01',
  bookImg: 'https://images.gr-assets.com/books/1447303603m/2767052.jpg',
  totalStock: 3,
  availableStock: 3,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: '2026-01-01T00:00:00.000Z',
};

const borrow = {
  borrowId: 1,
  userId: 1,
  username: 'reader-1',
  bookInfoId: 1,
  bookId: 1,
  title: book.title,
  borrowedAt: book.createdAt,
  dueAt: book.createdAt,
  returnedAt: null,
  renewalCount: 0,
  overdue: false,
  status: 'BORROWED',
};

const app = express();
app.use(express.json());
app.post('/api/borrows', (request, response) => {
  response.status(201).json({ ...borrow, ...(request.body as object) });
});
app.get('/api/book-infos/:bookInfoId', (request, response) => {
  response.json({ ...book, bookInfoId: Number(request.params.bookInfoId) });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`,
  );
});
