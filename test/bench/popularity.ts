/**
 * How often books are wanted: the ratings of 10,000 real books (the goodbooks-10k data set), by
 * rank. What lies between the ranks below is interpolated on logarithmic scales, which is nearly a
 * straight line there.
 */

const RATINGS: readonly (readonly [rank: number, ratings: number])[] = [
  [1, 4_780_653],
  [2, 4_602_479],
  [3, 3_866_839],
  [5, 2_683_664],
  [10, 2_001_311],
  [20, 1_766_803],
  [30, 1_531_753],
  [50, 1_053_403],
  [100, 560_715],
  [200, 376_766],
  [300, 267_166],
  [500, 170_491],
  [1000, 94_176],
  [2000, 50_112],
  [3000, 34_570],
  [5000, 21_157],
  [7000, 14_714],
  [10_000, 2716],
];

export const BOOKS = 10_000;

function ratingsOf(rank: number): number {
  const next = RATINGS.findIndex(([known]) => known >= rank);
  const [after, before] = [RATINGS[next], RATINGS[Math.max(0, next - 1)]];
  if (!after || !before || after === before) return after?.[1] ?? 0;
  const part = Math.log(rank / before[0]) / Math.log(after[0] / before[0]);
  return before[1] * (after[1] / before[1]) ** part;
}

const sums = new Float64Array(BOOKS + 1);
for (let rank = 1; rank <= BOOKS; rank += 1) sums[rank] = (sums[rank - 1] ?? 0) + ratingsOf(rank);
const total = sums[BOOKS] ?? 1;

/** Part of all borrows that are of the book of a rank, from 1 on. */
export const shareOf = (rank: number): number =>
  ((sums[rank] ?? 0) - (sums[rank - 1] ?? 0)) / total;

/** The rank of the book that somebody wants, by a number from 0 to below 1. */
export function wanted(chance: number): number {
  let [low, high] = [1, BOOKS];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > chance * total) high = middle;
    else low = middle + 1;
  }
  return low;
}
