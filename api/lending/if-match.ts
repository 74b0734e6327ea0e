import { entityTags } from '../http/responses/entity-tags';
import { Problem } from '../http/responses/problem';
import { findTitleNumbers } from './queries';
import { noSuchTitle } from './no-such';

/** The tag of a title, see `bookInfoEtag`. */
const TITLE_TAG = /^([1-9]\d{0,14})\.\d+-\d+$/;
/** That of a policy, see `policyEtag`. */
const POLICY_TAG = /^(0|[1-9]\d{0,14})$/;

/** How to tell the version of something that has an ETag. */
interface Versioned {
  readonly tag: RegExp;
  /** The version that it has now. */
  readonly present: () => Promise<number>;
  /** What a mismatch says. */
  readonly mismatch: string;
}

/** Returns the versions in these tags. Foreign tags are left out. */
function versionsNamed(tags: readonly string[], tag: RegExp): Set<number> {
  return new Set(tags.flatMap((given) => tag.exec(given)?.[1] ?? []).map(Number));
}

/**
 * Returns the version that a change must find, null for any. The worker compares it; only a header
 * that names no version, or several, has to be compared with the present one here.
 * @throws Problem VERSION_MISMATCH
 */
async function versionIn(
  header: string | undefined,
  { tag, present, mismatch }: Versioned,
): Promise<number | null> {
  const tags = entityTags(header);
  if (tags === null) return null;
  const versions = versionsNamed(tags, tag);
  const [only] = versions;
  if (only !== undefined && versions.size === 1) return only;
  const version = await present();
  if (!versions.has(version)) throw new Problem('VERSION_MISMATCH', mismatch);
  return version;
}

/** @throws Problem BOOK_INFO_NOT_FOUND or VERSION_MISMATCH */
export const expectedVersion = (
  header: string | undefined,
  bookInfoId: number,
): Promise<number | null> =>
  versionIn(header, {
    tag: TITLE_TAG,
    async present() {
      const title = await findTitleNumbers(bookInfoId);
      if (!title) throw noSuchTitle(bookInfoId);
      return title.version;
    },
    mismatch:
      'The title changed after the version in If-Match. Read it again before you change it.',
  });

/** @throws Problem VERSION_MISMATCH */
export const expectedPolicyVersion = (
  header: string | undefined,
  find: () => Promise<{ readonly version: number }>,
): Promise<number | null> =>
  versionIn(header, {
    tag: POLICY_TAG,
    present: async () => (await find()).version,
    mismatch:
      'This resource changed after the version in If-Match. Read it again before you change it.',
  });
