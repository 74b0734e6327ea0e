import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { consoleTexts } from './texts';

export interface Line {
  readonly label: string;
  /** One value for each instant; null where it is unknown. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly name: string;
  /** Seconds since 1970. */
  readonly instants: readonly number[];
  readonly lines: readonly Line[];
}

const HEIGHT_PX = 150;
/** Room for one time on the axis, so that they stay apart. */
const TIME_WIDTH_PX = 100;
/** Shortest time that a chart covers, seconds. A single instant would cover no time at all. */
const SHOWN_MIN_S = 10;
/** Colours of lines, in their order. */
const COLOURS = ['--accent', '--bad'];

/** Returns a colour of the present theme. */
const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function optionsOf(labels: readonly string[], width: number): UPlot.Options {
  const axis = {
    stroke: () => colour('--muted'),
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT_PX,
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { range: (_chart, min, max) => [Math.min(min, max - SHOWN_MIN_S), max] },
      y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: TIME_WIDTH_PX,
        values: (_chart, splits) => splits.map(consoleTexts.chartTime),
      },
      { ...axis, size: 56 },
    ],
    series: [
      {},
      ...labels.map((label, index) => ({
        label,
        width: 2,
        stroke: () => colour(COLOURS[index] ?? ''),
        points: { show: false },
      })),
    ],
  };
}

/**
 * Draws changing values. The picture has its latest values as its name, and the tables beside it
 * have them all.
 */
export function Chart({ name, instants, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<UPlot | null>(null);
  const labels = lines.map(({ label }) => label).join('\n');

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new UPlot(
      optionsOf(labels.split('\n'), element.clientWidth),
      [[], ...labels.split('\n').map(() => [])],
      element,
    );
    const sizes = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: HEIGHT_PX });
    });
    sizes.observe(element);
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      made.redraw();
    };
    theme.addEventListener('change', redraw);
    setChart(made);
    return () => {
      sizes.disconnect();
      theme.removeEventListener('change', redraw);
      made.destroy();
    };
  }, [labels]);

  useEffect(() => {
    chart?.setData([[...instants], ...lines.map(({ values }) => [...values])]);
  }, [chart, instants, lines]);

  const latest = lines
    .map(({ label, values }) => consoleTexts.chartValue(label, values.at(-1) ?? null))
    .join(', ');
  return (
    <figure className="chart">
      <figcaption>
        <strong>{name}</strong> <span>{latest}</span>
      </figcaption>
      <div
        ref={place}
        data-points={instants.length}
        role="img"
        aria-label={consoleTexts.chart(name, latest)}
      />
    </figure>
  );
}
