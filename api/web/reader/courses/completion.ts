import { client, type CallOptions } from '../../shared/client';
import { useWrite } from '../../shared/write';

/** Marking videos as done, which counts towards the progress. */
export interface Completion {
  readonly method: 'PUT' | 'DELETE';
  readonly userId: number;
  readonly courseId: number;
  readonly videoId: number;
}

const PATH = '/users/{userId}/courses/{courseId}/videos/{videoId}/completion';

const complete = ({ method, ...path }: Completion, options: CallOptions) =>
  client.request(method, PATH, { ...options, path });

export const useCompletion = () => useWrite(complete);
