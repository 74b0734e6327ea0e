/** Types of events, and filters that choose among them. */

/** One to three words of an event type, with `*` for any one word. */
export const TYPE_FORM = /^(?:\*|[a-z][a-z-]{0,30})(?:\.(?:\*|[a-z][a-z-]{0,30})){0,2}$/;

/** Returns whether a type begins with the words of a filter. */
export const typeFits = (words: readonly string[], type: string): boolean => {
  const given = type.split('.');
  return words.every((word, index) => word === '*' || word === given[index]);
};
