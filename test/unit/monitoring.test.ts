import '../../api/metrics';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, register } from 'prom-client';
import '../../workers/metrics';
import { ROOT } from '../support/service/child';

/** The dashboard and the alert rules speak of metrics that there are. */

collectDefaultMetrics();
const METRIC = /\b(?:lendline|http|nodejs|process)_[a-z0-9_]+/g;
const SUFFIXES = ['_bucket', '_sum', '_count'];
const read = (file: string): string => readFileSync(join(ROOT, 'monitoring', file), 'utf8');

/** What the series of all metrics are called, and which labels they have. */
const known = new Map(
  register.getMetricsAsArray().flatMap((metric) => {
    const {
      name,
      type,
      labelNames = [],
    } = metric as unknown as { name: string; type: string; labelNames?: string[] };
    return (type === 'histogram' ? SUFFIXES.map((suffix) => name + suffix) : [name]).map(
      (series) => [series, labelNames] as const,
    );
  }),
);

describe.each(['dashboard.json', 'alerts.yml'])('%s', (file) => {
  it('names only metrics that the programs have', () => {
    const named = new Set(read(file).match(METRIC));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(5);
  });

  it('groups and selects only by labels that they have', () => {
    const labels = new Set([...known.values()].flat());
    const used = [...read(file).matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    );
    const selected = [...read(file).matchAll(/[{,] ?([a-z]+)(?:=~|!=|=)\\?"/g)].map(
      ([, label]) => label ?? '',
    );
    expect([...used, ...selected].filter((label) => label !== 'le' && !labels.has(label))).toEqual(
      [],
    );
    expect(used.length).toBeGreaterThan(2);
  });
});

it('shows every metric of its own on the dashboard', () => {
  const shown = read('dashboard.json');
  const own = register
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => /^(lendline|http)_/.test(name));
  expect(own.filter((name) => !shown.includes(name))).toEqual([]);
  expect(own.length).toBeGreaterThan(10);
});
