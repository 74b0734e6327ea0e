import { newerPosts } from '../../../api/web/reader/posts/newer';

const posts = (...ids: readonly number[]) => ids.map((postId) => ({ postId }));

it('finds what stands before the last known post, whatever its id', () => {
  expect(newerPosts(posts(101, 7), posts(8, 102, 101, 7))).toEqual(posts(8, 102));
});

it('finds a post that came between two known ones', () => {
  expect(newerPosts(posts(3, 1), posts(3, 2, 1))).toEqual(posts(2));
});

it('takes no older post for new that moved up when another was deleted', () => {
  expect(newerPosts(posts(9, 8, 7), posts(9, 7, 6))).toEqual([]);
});

it('takes all posts for new where none was known', () => {
  expect(newerPosts([], posts(2, 1))).toEqual(posts(2, 1));
});
