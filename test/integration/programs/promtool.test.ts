import '../../../api/metrics';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { register } from 'prom-client';
import { parse } from 'yaml';
import '../../../workers/metrics';
import { ROOT } from '../../support/service/child';
import { temporaryFolder } from '../../support/run/cleanup';
import { canInstall, findProgram, install } from '../../support/servers/private/programs';

/** Metrics and alerts, looked at by Prometheus' own tool. */

const ALERTS = join(ROOT, 'monitoring/alerts.yml');
const MISSING = 'The alerts were not tried: promtool is missing (package prometheus of Debian).';

interface Alert {
  readonly alert: string;
  readonly annotations: { readonly summary: string; readonly action: string };
}

/** How an alert comes to fire, and that it does not without its reason. */
interface Case {
  readonly alert: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Series and their values, one in 15 seconds, in Prometheus' notation. */
  readonly fires: Readonly<Record<string, string>>;
  readonly stays: Readonly<Record<string, string>>;
}

const partition = 'lending.commands.07';
const refused = `lendline_commands_refused_total{partition="${partition}",reason="queue"}`;
const closed = 'lendline_connections_refused_total{limit="API_CONNECTIONS_MAX"}';
const lag = `lendline_partition_lag_seconds{partition="${partition}"}`;
const waits = (ended: string) =>
  `lendline_command_wait_seconds_count{type="lending.borrow-book",ended="${ended}"}`;
const failures = 'lendline_batch_failures_total{next="wait"}';
const stalled = 'lendline_commands_stalled{instance="worker-1"}';
const waiting = 'lendline_partitions_waiting{instance="worker-1"}';
const ownerless = 'lendline_partitions_without_owner{instance="worker-1"}';
const letters = 'lendline_dead_letters_total{reason="poison"}';
const breaker = 'lendline_database_breaker_open';
const cacheReads = (result: string) => `lendline_cache_reads_total{view="book",result="${result}"}`;
const requests = (status: number) =>
  `http_request_duration_seconds_count{route="/api/borrows",status="${status}"}`;
const eventLoop = 'nodejs_eventloop_lag_p99_seconds{instance="api-1"}';

const CASES: readonly Case[] = [
  {
    alert: 'LendlineCommandsAreRefused',
    labels: { partition },
    summary: `Commands of ${partition} are refused because too many are under way.`,
    fires: { [refused]: '0+30x80' },
    stays: { [refused]: '30x80' },
  },
  {
    alert: 'LendlineConnectionsAreRefused',
    labels: { limit: 'API_CONNECTIONS_MAX' },
    summary: 'An API closes connections at once because API_CONNECTIONS_MAX is reached.',
    fires: { [closed]: '0+30x80' },
    stays: { [closed]: '30x80' },
  },
  {
    alert: 'LendlineCommandsWait',
    labels: { partition },
    summary: `Commands of ${partition} waited 6 s for their turn.`,
    fires: { [lag]: '6x80' },
    stays: { [lag]: '5x80' },
  },
  {
    alert: 'LendlineAnswersAreLate',
    summary: 'More than one write in twenty is answered 202 instead of its outcome.',
    fires: { [waits('promised')]: '0+6x80', [waits('answered')]: '0+94x80' },
    stays: { [waits('promised')]: '0+4x80', [waits('answered')]: '0+96x80' },
  },
  {
    alert: 'LendlineBatchesFail',
    labels: { next: 'wait' },
    summary: 'Batches fail again and again, and are followed by wait.',
    fires: { [failures]: '0+3x80' },
    stays: { [failures]: '0+1x80' },
  },
  {
    alert: 'LendlineCommandsStalled',
    labels: { instance: 'worker-1' },
    summary: 'The worker worker-1 carries out no commands because of a fault of the system.',
    fires: { [stalled]: '1x80' },
    stays: { [stalled]: '0x80' },
  },
  {
    alert: 'LendlinePartitionsWait',
    summary: 'Partitions wait, because no running worker knows a command that they have.',
    fires: { [waiting]: '1x80' },
    stays: { [waiting]: '0x80' },
  },
  {
    alert: 'LendlinePartitionsWithoutOwner',
    summary: 'Commands wait in partitions that have no row in partition_owner.',
    fires: { [ownerless]: '1x80' },
    stays: { [ownerless]: '0x80' },
  },
  {
    alert: 'LendlineDeadLetter',
    labels: { reason: 'poison' },
    summary: 'A command could not be carried out; its aggregate is in quarantine.',
    fires: { [letters]: '0x70 1x10' },
    stays: { [letters]: '1x80' },
  },
  {
    alert: 'LendlineDatabaseIsAway',
    summary:
      'An API does not reach MySQL; writes wait in their queues and reads that are not cached are refused.',
    fires: { [breaker]: '1x80' },
    stays: { [breaker]: '0x80' },
  },
  {
    alert: 'LendlineCacheIsAway',
    summary: 'Reads go to MySQL because Redis is not reached.',
    fires: { [cacheReads('unavailable')]: '0+1x80' },
    stays: { [cacheReads('hit')]: '0+1x80' },
  },
  {
    alert: 'LendlineErrors',
    summary: "Requests are answered with errors of the service's own.",
    fires: { [requests(500)]: '0+1x80' },
    stays: { [requests(503)]: '0+1x80' },
  },
  {
    alert: 'LendlineEventLoopIsSlow',
    labels: { instance: 'api-1' },
    summary: 'A process of Lendline stands still for half a second at a time.',
    fires: { [eventLoop]: '0.6x80' },
    stays: { [eventLoop]: '0.4x80' },
  },
];

const alerts = (
  parse(readFileSync(ALERTS, 'utf8')) as { groups: readonly { readonly rules: readonly Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

/** The tests of one alert, as `promtool test rules` reads them. */
function testsOf({ alert, labels = {}, summary, fires, stays }: Case) {
  const action = alerts.find((one) => one.alert === alert)?.annotations.action;
  const firing = { exp_labels: labels, exp_annotations: { summary, action } };
  const one = (series: Readonly<Record<string, string>>, expected: readonly object[]) => ({
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: '20m', alertname: alert, exp_alerts: expected }],
  });
  return {
    rule_files: [ALERTS],
    evaluation_interval: '15s',
    tests: [one(fires, [firing]), one(stays, [])],
  };
}

function promtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? 'promtool', args, {
    input,
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const isThere = findProgram('promtool') !== null || canInstall();
if (!isThere) process.stderr.write(`${MISSING}\n`);

(isThere ? describe : describe.skip)('promtool', () => {
  beforeAll(async () => {
    if (!findProgram('promtool')) await install(['prometheus']);
  }, 600_000);

  it('finds nothing wrong with the rules of the alerts', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', ALERTS])).toMatchObject({ code: 0 });
  });

  it("finds nothing wrong with the metrics' names and units", async () => {
    const { code, output } = promtool(['check', 'metrics'], await register.metrics());
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  it.each(CASES)('sees $alert fire for its reason, and without it not', async (one) => {
    const file = join(await temporaryFolder('alerts'), 'tests.json');
    writeFileSync(file, JSON.stringify(testsOf(one)));
    expect(promtool(['test', 'rules', file])).toMatchObject({ code: 0 });
  });
});

it('has a test for each alert', () => {
  expect(CASES.map(({ alert }) => alert)).toEqual(alerts.map(({ alert }) => alert));
});
