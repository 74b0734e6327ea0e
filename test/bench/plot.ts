import { init, type EChartsOption, type LineSeriesOption } from 'echarts';
import { median } from './load';
import { medianTimes, rates, type Measured } from './rounds';

/**
 * What was measured as a picture: how many a second, and how long each takes, over the number of
 * clients.
 */

/** Of one panel, pixels. */
const WIDTH = 420;
const HEIGHT = 300;
const MARGIN = { left: 62, right: 18, top: 56, bottom: 34 };
const LEGEND_LINE = 30;
/** Of the legend: a name, and the line before it. */
const LETTER = 7;
const SIGN = 60;

/** The number of clients, from left to right. */
export const CLIENTS_AXIS = {
  type: 'log',
  logBase: 4,
  min: 1,
  max: 1024,
  name: 'clients',
  nameLocation: 'middle',
  nameGap: 22,
} as const;

/** Draws a chart as an SVG. `size`: pixels. */
export function drawn(
  size: { readonly width: number; readonly height: number },
  option: EChartsOption,
): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  chart.setOption({ animation: false, backgroundColor: '#ffffff', ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** How high the legend of these names is in a picture of that width, pixels. */
export function legendHeight(names: readonly string[], width: number): number {
  const length = names.reduce((sum, name) => sum + SIGN + LETTER * name.length, 0);
  return LEGEND_LINE * Math.ceil(length / width) + 6;
}

interface Quantity {
  readonly name: string;
  readonly of: (measured: Measured) => number;
}

const QUANTITIES: readonly Quantity[] = [
  { name: 'per second', of: (measured) => median(rates(measured)) },
  { name: 'median, ms', of: (measured) => median(medianTimes(measured)) },
  { name: '99th percentile, ms', of: ({ rounds }) => median(rounds.map(({ p99 }) => p99)) },
];

/**
 * Draws an SVG with a row of panels for each work, a column for each quantity and a line for each
 * subject.
 */
export function plot(
  measured: readonly Measured[],
  works: readonly string[],
  columns = QUANTITIES.length,
): string {
  const quantities = QUANTITIES.slice(0, columns);
  const subjects = [...new Set(measured.map(({ subject }) => subject))];
  const width = WIDTH * quantities.length;
  const legend = legendHeight(subjects, width);
  const panels = works.flatMap((work, row) =>
    quantities.map((quantity, column) => ({
      work,
      quantity,
      left: column * WIDTH,
      top: legend + row * HEIGHT,
    })),
  );
  const series = panels.flatMap(({ work, quantity }, index) =>
    subjects.map((subject): LineSeriesOption => {
      const points = measured
        .filter((one) => one.work === work && one.subject === subject)
        .sort((a, b) => a.clients - b.clients);
      return {
        name: subject,
        type: 'line',
        xAxisIndex: index,
        yAxisIndex: index,
        data: points.map((one) => [one.clients, quantity.of(one)]),
      };
    }),
  );
  return drawn(
    { width, height: legend + HEIGHT * works.length },
    {
      legend: { data: subjects, top: 6, itemGap: 18 },
      title: panels.map(({ work, quantity, left, top }) => ({
        text: `${work}: ${quantity.name}`,
        left: left + MARGIN.left,
        top: top + 14,
        textStyle: { fontSize: 13 },
      })),
      grid: panels.map(({ left, top }) => ({
        left: left + MARGIN.left,
        top: top + MARGIN.top,
        width: WIDTH - MARGIN.left - MARGIN.right,
        height: HEIGHT - MARGIN.top - MARGIN.bottom,
      })),
      xAxis: panels.map((_, gridIndex) => ({ gridIndex, ...CLIENTS_AXIS })),
      yAxis: panels.map((_, gridIndex) => ({ gridIndex, type: 'log' })),
      series,
    },
  );
}
