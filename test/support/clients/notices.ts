import { succeeded, type Library } from './books';
import type { Reader } from './requests';

export interface Notice {
  readonly noticeId: number;
  readonly type: string;
  readonly title: string;
  readonly readAt: string | null;
  readonly [member: string]: unknown;
}

/** What a notice is about, when it is about nothing. */
export const NOTHING = {
  bookInfoId: null,
  borrowId: null,
  holdId: null,
  courseId: null,
  until: null,
};

/** The notices of a reader, as every API process shows them. */
export async function noticesOf(
  library: Library,
  { token }: Reader,
  query = '',
): Promise<Notice[]> {
  const answers = await library.readEverywhere(`/api/notices${query}`, token);
  const lists = answers.map((answer) => (succeeded(answer, 200) as { items: Notice[] }).items);
  for (const list of lists) expect(list).toEqual(lists[0]);
  return lists[0] ?? [];
}
