import type { AddressInfo } from 'node:net';
import express from 'express';

/** The least that a service on Express does for a read: it finds the route and answers with JSON that it has at hand. The measure for ours. */

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

const app = express();
app.get('/api/book-infos/:bookInfoId', (request, response) => {
  response.json({ ...book, bookInfoId: Number(request.params.bookInfoId) });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
