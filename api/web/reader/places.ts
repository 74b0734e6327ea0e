/** Addresses of the readers' places. The service serves the page at each of them. */
export const places = {
  home: '/',
  books: '/books',
  library: '/library',
  notices: '/notices',
  posts: '/board',
  writePost: '/board/write',
  courses: '/learn',
  admin: '/admin',
  signIn: '/sign-in',
  signUp: '/sign-up',
} as const;

export const pathOfBook = (bookInfoId: number): string => `${places.books}/${bookInfoId}`;
export const pathOfPost = (postId: number): string => `${places.posts}/${postId}`;
export const pathOfEditPost = (postId: number): string => `${pathOfPost(postId)}/edit`;
export const pathOfCourse = (courseId: number): string => `${places.courses}/${courseId}`;
export const pathOfCourseDesk = (courseId: number): string => `${pathOfCourse(courseId)}/desk`;
export const pathOfVideo = (courseId: number, videoId: number): string =>
  `${pathOfCourse(courseId)}/watch/${videoId}`;

/** The posts that have all of these tags; without any, the latest. */
export function pathOfPosts(tags: readonly string[], page = 1): string {
  const query = new URLSearchParams({
    ...(tags.length > 0 && { tags: tags.join(',') }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size > 0 ? `${places.posts}?${query.toString()}` : places.posts;
}

/** A whole number from 1 on; 1 when it is none. */
export const pageOf = (text: string | null): number =>
  Math.max(Number.parseInt(text ?? '1', 10) || 1, 1);
