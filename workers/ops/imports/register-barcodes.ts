import { COPIES_ADDED_MAX } from '../../../shared/lending/commands';
import { create, expected, RUN } from './registration';
import { Refused } from './row-cells';
import { textOf } from './service-answer';
import type { ServiceClient } from './service-client';

/** Copies with barcodes, each made once. */

/** Returns the barcodes that no copy of the title has. @throws Refused for one that another has. */
async function missing(
  client: ServiceClient,
  bookInfoId: number,
  barcodes: readonly string[],
): Promise<string[]> {
  const lacking: string[] = [];
  for (const barcode of barcodes) {
    const path = `/api/books/${encodeURIComponent(barcode)}`;
    const shown = await client.call({ method: 'GET', path });
    if (shown.status === 404) lacking.push(barcode);
    else if (expected(shown, 200)['bookInfoId'] !== bookInfoId)
      throw new Refused(`barcode ${barcode} is on a copy of another title`);
  }
  return lacking;
}

async function add(
  client: ServiceClient,
  bookInfoId: number,
  barcodes: readonly string[],
): Promise<number> {
  const path = `/api/book-infos/${bookInfoId}/books`;
  const answer = await create(client, path, { barcodes }, RUN);
  // Some of them may be there from a run that was cut off.
  if (textOf(answer, 'code') === 'BARCODE_TAKEN') {
    const lacking = await missing(client, bookInfoId, barcodes);
    if (lacking.length > 0) expected(await create(client, path, { barcodes: lacking }, RUN), 201);
    return lacking.length;
  }
  expected(answer, 201);
  return barcodes.length;
}

/** Adds a copy for each barcode that the title lacks, and says how many. @throws Refused */
export async function addBarcodes(
  client: ServiceClient,
  bookInfoId: number,
  barcodes: readonly string[],
): Promise<number> {
  let added = 0;
  for (let from = 0; from < barcodes.length; from += COPIES_ADDED_MAX)
    added += await add(client, bookInfoId, barcodes.slice(from, from + COPIES_ADDED_MAX));
  return added;
}
