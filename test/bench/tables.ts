import { median } from './load';
import type { OpenServed } from './open-load';
import { cpuOf, medianTimes, rates, type Measured, type Ratio } from './rounds';

/** What was measured, as text. */

/** A line of what is to be reached. */
export interface Line {
  readonly what: string;
  readonly ratio: Ratio;
  /** What the median must not be below, or above when `atMost`. */
  readonly bound: number;
  readonly atMost?: boolean;
}

export const per = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(2));

export function shown(measured: Measured): string {
  const { subject, work, clients, rounds } = measured;
  const last = rounds.at(-1);
  const cpu = (last?.cpu ?? []).map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(', ');
  return `${work}, ${clients} clients, ${subject}: ${per(last?.rate ?? 0)}/s, p50 ${per(last?.p50 ?? 0)} ms, p99 ${per(last?.p99 ?? 0)} ms, ${last?.refused ?? 0} refused, ${last?.lost ?? 0} lost, CPU ms each: ${cpu}`;
}

export function shownOverload({
  rate,
  p50,
  p99,
  refusedP50,
  refusedP99,
  statuses,
}: OpenServed): string {
  const refused =
    refusedP50 === null || refusedP99 === null
      ? 'none refused'
      : `refused after ${per(refusedP50)} ms, p99 ${per(refusedP99)} ms`;
  return `${per(rate)}/s, p50 ${per(p50)} ms, p99 ${per(p99)} ms, ${refused}, ${JSON.stringify(statuses)}`;
}

export function tableOf(measured: readonly Measured[]): string[] {
  const rows = measured.map((one) => {
    const times = one.rounds.map(({ p99 }) => p99);
    const cpu = cpuOf(one)
      .filter(([, ms]) => ms >= 0.02)
      .map(([program, ms]) => `${program} ${ms.toFixed(2)}`)
      .join(', ');
    const spread = `${per(Math.min(...rates(one)))} to ${per(Math.max(...rates(one)))}`;
    return `| ${one.work} | ${one.clients} | ${one.subject} | ${per(median(rates(one)))} (${spread}) | ${per(median(medianTimes(one)))} | ${per(median(times))} | ${cpu} |`;
  });
  return [
    '| work | clients | | a second: median (spread) | p50, ms | p99, ms | processor time for each, ms |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ];
}

export function linesTable(lines: readonly Line[]): string[] {
  const rows = lines.map(({ what, ratio, bound, atMost }) => {
    const holds = atMost ? ratio.median <= bound : ratio.median >= bound;
    return `| ${what} | ${ratio.median.toFixed(2)} (${ratio.lowest.toFixed(2)} to ${ratio.highest.toFixed(2)}) | ${atMost ? 'at most' : 'at least'} ${bound} | ${holds ? 'yes' : 'no'} |`;
  });
  return ['| | ratio: median (spread) | wanted | reached |', '|---|---|---|---|', ...rows];
}
