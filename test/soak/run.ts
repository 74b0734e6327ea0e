import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/service/child';
import { cleanUp } from '../support/run/cleanup';
import { exportServers } from '../support/servers/fresh';
import { heapsEnv } from '../support/service/heap';
import { newSecret, startEmbedded, startServers, type Program } from '../support/service/processes';
import { provideServers } from '../support/servers/servers';
import { exportedSecret, targetAt, type TargetName } from '../support/service/target';
import { measuresOf, read, type Reading, type Soaked } from './readings';
import { Users } from './users';
import { verdictOn, type Verdict } from './verdict';

/**
 * `npm run soak -- [embedded] [servers] [--minutes 60] [--writes 5]`: a steady load for an hour,
 * and whether memory, handles, rows and queues are flat from the tenth minute on. Both ways of
 * running at once unless one is named. The exit code is 1 when something grows, or when an answer
 * was wrong.
 */

const MINUTE_MS = 60_000;
/**
 * Until then caches fill and what is kept for minutes comes to its full number, minutes; of a
 * shorter soak a sixth.
 */
const WARM_MINUTES = 10;

interface Soak {
  readonly name: TargetName;
  readonly readings: (readonly [minute: number, reading: Reading])[];
  readonly verdicts: readonly Verdict[];
  readonly faults: readonly string[];
}

const say = (line: string) => process.stdout.write(`${line}\n`);

const named = (kind: string, programs: readonly Program[]) =>
  programs.map(({ child }, index) => ({ name: `${kind} ${index + 1}`, pid: child.pid }));

async function started(name: TargetName): Promise<Soaked & { readonly urls: readonly string[] }> {
  const heaps = await heapsEnv();
  const hook = {
    ...heaps,
    NODE_OPTIONS: `${heaps.NODE_OPTIONS} --require ${join(ROOT, 'test/support/service/soak-hook.js')}`,
  };
  const env = {
    ...hook,
    JWT_SECRET: exportedSecret(newSecret),
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
  };
  if (name === 'embedded') {
    const { child, url, dataDir } = await startEmbedded({ env: { ...env, LOG_LEVEL: 'warn' } });
    return {
      env: { ...env, DATA_DIR: dataDir },
      urls: [url],
      processes: [{ name, pid: child.pid }],
    };
  }
  const { apis, workers, env: all } = await startServers({ workers: 2, env });
  return {
    env: all,
    urls: apis.map(({ url }) => url),
    processes: [...named('api', apis), ...named('worker', workers)],
  };
}

async function soak(name: TargetName, minutes: number, writesPerSecond: number): Promise<Soak> {
  const soaked = await started(name);
  const target = targetAt(name, soaked.urls);
  const users = new Users({
    urls: soaked.urls,
    writesPerSecond,
    admin: target.admin,
    tokenOf: (userId, role = 'user') => target.token({ userId, role }),
  });
  await users.start();
  const from = performance.now();
  const readings: Soak['readings'] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    await pause(Math.max(0, from + minute * MINUTE_MS - performance.now()));
    readings.push([minute, await read(soaked)]);
    const statuses = Object.fromEntries(users.statuses);
    say(
      `${new Date().toISOString()} ${name} ${minute} ${JSON.stringify(readings.at(-1)?.[1])} ${JSON.stringify(statuses)}`,
    );
    await mkdir('bench-results', { recursive: true });
    await writeFile(
      `bench-results/soak-${name}.json`,
      JSON.stringify({ readings, statuses, leftOut: users.leftOut }),
    );
  }
  await users.stop();
  const warm = Math.min(WARM_MINUTES, Math.ceil(minutes / 6));
  const counted = readings.filter(([minute]) => minute >= warm);
  const verdicts = measuresOf(soaked).map((measure) =>
    verdictOn(
      measure,
      counted.map(([minute, reading]) => [minute, reading[measure.name] ?? NaN]),
    ),
  );
  const faults = [...users.statuses]
    .filter(([status]) => status === 0 || status >= 500)
    .map(([status, count]) => `${name}: ${count} answers ${status}`);
  const writes = `${[...users.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}; ${users.leftOut} steps left out`;
  say(`${name}: answers by status: ${writes}`);
  return { name, readings, verdicts, faults };
}

function tableOf({ name, readings, verdicts }: Soak): string {
  const of = (verdict: Verdict, at: number) => readings.at(at)?.[1][verdict.name]?.toFixed(1) ?? '';
  const warm = Math.min(WARM_MINUTES, Math.ceil(readings.length / 6)) - 1;
  const rows = verdicts.map(
    (one) =>
      `| ${one.name} | ${of(one, warm)} | ${of(one, -1)} | ${one.mean.toFixed(1)} | ${one.growth.toFixed(1)} | ${Number.isFinite(one.allowed) ? one.allowed.toFixed(1) : 'any'} | ${one.flat ? 'yes' : 'NO'} |`,
  );
  return [
    `| ${name} | minute ${warm + 1} | minute ${readings.length} | mean | growth | allowed | flat |`,
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '60' },
      writes: { type: 'string', default: '5' },
    },
  });
  const names = (['embedded', 'servers'] as const).filter(
    (name) => positionals.length === 0 || positionals.includes(name),
  );
  if (names.includes('servers')) exportServers(await provideServers());
  const soaks = await Promise.all(
    names.map((name) => soak(name, Number(values.minutes), Number(values.writes))),
  );
  for (const one of soaks) say(`\n${tableOf(one)}`);
  const faults = soaks.flatMap(({ name, verdicts, faults: wrong }) => [
    ...wrong,
    ...verdicts.filter(({ flat }) => !flat).map((one) => `${name}: ${one.name} is not flat`),
  ]);
  for (const fault of faults) say(fault);
  return faults.length === 0 ? 0 : 1;
}

void main()
  .catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  })
  .then(async (code) => {
    await cleanUp();
    process.exit(code);
  });
