import type { BarSeriesOption } from 'echarts';
import { CLIENTS_AXIS, drawn, legendHeight } from './plot';
import { bestByTurn, cpuOf, LOAD_GENERATOR, rates, ratioOf, type Measured } from './rounds';

/** How many times as fast as the rivals, and what each costs, as pictures. */

/** Pixels. */
const WIDTH = 900;
const HEIGHT = 420;
const BAR = 22;
const WORKS = ['one hot book', 'by popularity'];

/** The answers a second of the best of these subjects, in each turn. */
const bestRates = (measured: readonly Measured[], names: readonly string[]): number[] =>
  bestByTurn(measured.filter(({ subject }) => names.includes(subject)).map(rates), Math.max);

/**
 * Answers a second of `ours` beside those of the best rival, by the number of clients: of all, and
 * of those with equal promises.
 */
export function plotRatios(
  measured: readonly Measured[],
  ours: string,
  { best, equal }: { readonly best: readonly string[]; readonly equal: readonly string[] },
): string {
  const lines = WORKS.flatMap((work) =>
    [
      { beside: 'the best', names: best },
      { beside: 'the best with equal promises', names: equal },
    ].map(({ beside, names }) => ({
      name: `${work}, beside ${beside}`,
      type: 'line' as const,
      data: measured
        .filter((one) => one.subject === ours && one.work === work)
        .sort((a, b) => a.clients - b.clients)
        .map((one) => {
          const cell = measured.filter(
            (other) => other.work === work && other.clients === one.clients,
          );
          return [one.clients, ratioOf(rates(one), bestRates(cell, names)).median];
        }),
    })),
  );
  const top = legendHeight(
    lines.map(({ name }) => name),
    WIDTH,
  );
  return drawn(
    { width: WIDTH, height: HEIGHT },
    {
      legend: { top: 6 },
      grid: { left: 60, right: 30, top: top + 30, bottom: 40 },
      xAxis: CLIENTS_AXIS,
      yAxis: {
        type: 'log',
        name: 'times as many answers a second',
        nameTextStyle: { align: 'left' },
      },
      series: lines,
    },
  );
}

/** Milliseconds of processor time of a success as stacked bars, a bar for each subject and load. */
export function plotCosts(measured: readonly Measured[]): string {
  const shown = measured.filter(
    ({ work, clients }) => work === 'by popularity' && (clients === 1 || clients === 128),
  );
  const bars = [128, 1].flatMap((clients) => shown.filter((one) => one.clients === clients));
  const costs = bars.map(
    (one) => new Map(cpuOf(one).filter(([program]) => program !== LOAD_GENERATOR)),
  );
  const programs = [...new Set(costs.flatMap((cost) => [...cost.keys()]))];
  const series = programs.map((program): BarSeriesOption => ({
    name: program,
    type: 'bar',
    stack: 'cost',
    data: costs.map((cost) => cost.get(program) ?? 0),
  }));
  return drawn(
    { width: WIDTH, height: 90 + BAR * bars.length },
    {
      legend: { top: 6 },
      grid: { left: 330, right: 30, top: 50, bottom: 40 },
      xAxis: { type: 'value', name: 'ms', nameGap: 8 },
      yAxis: {
        type: 'category',
        inverse: true,
        axisLabel: { interval: 0 },
        data: bars.map(
          ({ subject, clients }) =>
            `${subject}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        ),
      },
      series,
    },
  );
}
