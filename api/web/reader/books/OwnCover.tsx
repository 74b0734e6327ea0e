import { useQuery } from '@tanstack/react-query';
import { Cover } from './Cover';
import { coverQuery } from './queries';

/** The cover of a title that is borrowed or held: borrows and holds know no picture. */
export function OwnCover({
  of: { bookInfoId, title },
}: {
  readonly of: { readonly bookInfoId: number; readonly title: string };
}) {
  const { data } = useQuery(coverQuery(bookInfoId));
  return <Cover title={title} author={data?.author ?? ''} bookImg={data?.bookImg ?? null} />;
}
