import { entityTags } from '../http/entity-tags';
import { Problem } from '../http/problem';
import { findTitleNumbers } from './queries';
import { noSuchTitle } from './title-reads';

/** The tag of a title, see `bookInfoEtag`. */
const TITLE_TAG = /^([1-9]\d{0,14})\.\d+-\d+$/;

/** The attributes' versions that these tags name; tags that are not ours name none. */
function versionsNamed(tags: readonly string[]): Set<number> {
  return new Set(tags.flatMap((tag) => TITLE_TAG.exec(tag)?.[1] ?? []).map(Number));
}

/**
 * The version that a change must find, null for any. The worker compares it; only a header that
 * names no version, or several, has to be compared with the present one here.
 * @throws Problem BOOK_INFO_NOT_FOUND or VERSION_MISMATCH
 */
export async function expectedVersion(
  header: string | undefined,
  bookInfoId: number,
): Promise<number | null> {
  const tags = entityTags(header);
  if (tags === null) return null;
  const versions = versionsNamed(tags);
  const [only] = versions;
  if (only !== undefined && versions.size === 1) return only;
  const present = await findTitleNumbers(bookInfoId);
  if (!present) throw noSuchTitle(bookInfoId);
  if (!versions.has(present.version))
    throw new Problem(
      'VERSION_MISMATCH',
      'The title changed after the version in If-Match. Read it again before you change it.',
    );
  return present.version;
}
