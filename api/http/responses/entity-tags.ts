/**
 * One entity tag and what follows it. A proxy that compresses answers makes tags weak; what is in
 * them is as good.
 */
const ENTITY_TAG = /^[\s,]*(?:W\/)?"([^"]*)"\s*(?:,|$)/;

/**
 * What stands between the quotes of each tag of an If-Match; null where any version will do. What
 * is no tag fits no version.
 */
export function entityTags(header: string | undefined): string[] | null {
  if (header === undefined || header.trim() === '*') return null;
  const tags: string[] = [];
  let rest = header;
  for (let tag = ENTITY_TAG.exec(rest); tag; tag = ENTITY_TAG.exec(rest)) {
    tags.push(tag[1] as string);
    rest = rest.slice(tag[0].length);
  }
  return tags;
}
