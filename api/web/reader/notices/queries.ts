import { queryOptions } from '@tanstack/react-query';
import { answered, client, type Schemas } from '../../shared/client';
import { LIVE } from '../../shared/look-again';

const NOTICES_SIZE = 50;

export type Notice = Schemas['Notice'];

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => answered(client.request('GET', '/api/users/me', { signal })),
  meta: LIVE,
});

export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: ({ signal }) =>
    answered(client.request('GET', '/api/notices', { query: { size: NOTICES_SIZE }, signal })),
});
