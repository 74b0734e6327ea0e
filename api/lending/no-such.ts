import { Problem } from '../http/responses/problem';

export const noSuchTitle = (bookInfoId: number): Problem =>
  new Problem('BOOK_INFO_NOT_FOUND', `There is no title ${bookInfoId}.`);

export const noSuchBorrow = (): Problem =>
  new Problem('BORROW_NOT_FOUND', 'You have no such borrow.');
