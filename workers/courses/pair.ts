/** Names a user and a course together. */
export const pairOf = (userId: number, courseId: number): string => `${userId}:${courseId}`;
