import { Problem } from '../http/problem';
import { findTitleNumbers } from './queries';
import { noSuchTitle } from './title-reads';

/** One entity tag and what follows it. A proxy that compresses answers makes tags weak; the version in them is as good. */
const ENTITY_TAG = /^[\s,]*(?:W\/)?"([^"]*)"\s*(?:,|$)/;
/** The tag of a title, see `bookInfoEtag`. */
const TITLE_TAG = /^([1-9]\d{0,14})\.\d+-\d+$/;

/** The attributes' versions that the tags of an If-Match name; tags that are not ours name none. */
function versionsNamed(header: string): Set<number> {
  const versions = new Set<number>();
  let rest = header;
  for (let tag = ENTITY_TAG.exec(rest); tag; tag = ENTITY_TAG.exec(rest)) {
    const version = TITLE_TAG.exec(tag[1] as string)?.[1];
    if (version) versions.add(Number(version));
    rest = rest.slice(tag[0].length);
  }
  return versions;
}

/**
 * The version that an update must find, null for any. The worker compares it; only a header that names no version, or
 * several, has to be compared with the present one here.
 * @throws Problem BOOK_INFO_NOT_FOUND or VERSION_MISMATCH
 */
export async function expectedVersion(header: string | undefined, bookInfoId: number): Promise<number | null> {
  if (header === undefined || header.trim() === '*') return null;
  const versions = versionsNamed(header);
  const [only] = versions;
  if (only !== undefined && versions.size === 1) return only;
  const present = await findTitleNumbers(bookInfoId);
  if (!present) throw noSuchTitle(bookInfoId);
  if (!versions.has(present.version)) throw new Problem('VERSION_MISMATCH', 'The title is not in the version that If-Match names.');
  return present.version;
}
