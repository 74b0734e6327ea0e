import type { Response } from 'express';
import { CsvLists } from '../../../api/http/responses/csv-list';
import type { Answer, DocumentedRoute } from '../../../api/http/endpoint';

const LISTS_MAX = 4;
const route = {
  doc: { answers: { 200: { headers: ['X-Total-Count', 'Link'] } } },
} as unknown as DocumentedRoute;
const originalUrl = '/api/book-infos?q=x&page=3&size=2';
const response = { req: { originalUrl } } as unknown as Response;

it('only so many lists are written as CSV at a time, each from its first page', async () => {
  const lists = new CsvLists();
  const asked: string[] = [];
  const fail: ((error: Error) => void)[] = [];
  const never = (url: string) =>
    new Promise<Answer>((_resolve, reject) => {
      asked.push(url);
      fail.push(reject);
    });
  const running = Array.from({ length: LISTS_MAX }, () => lists.send(route, response, never));
  await expect(lists.send(route, response, never)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(asked).toEqual(Array(LISTS_MAX).fill('/api/book-infos?q=x&page=1&size=100'));
  for (const end of fail) end(new Error('the database is unavailable'));
  for (const one of running) await expect(one).rejects.toThrow('the database is unavailable');
  const next = lists.send(route, response, never);
  fail.at(-1)?.(new Error('as before'));
  await expect(next).rejects.toThrow('as before');
});
