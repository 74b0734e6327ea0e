/** Returns one text for a user and a course. */
export const pairOf = (userId: number, courseId: number): string => `${userId}:${courseId}`;
