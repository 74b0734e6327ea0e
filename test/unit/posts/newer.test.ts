import { newerPosts } from '../../../api/web/reader/posts/newer';

const posts = (...ids: readonly number[]) => ids.map((postId) => ({ postId }));

it('finds what stands before the last known post, whatever its id', () => {
  expect(newerPosts(posts(101, 7), posts(8, 102, 101, 7))).toEqual(posts(8, 102));
});

it('finds a post that came between two known ones', () => {
  expect(newerPosts(posts(3, 1), posts(3, 2, 1))).toEqual(posts(2));
});

it('does not count an older post that moved up as new', () => {
  expect(newerPosts(posts(9, 8, 7), posts(9, 7, 6))).toEqual([]);
});

it('counts all posts as new when none was known', () => {
  expect(newerPosts([], posts(2, 1))).toEqual(posts(2, 1));
});
