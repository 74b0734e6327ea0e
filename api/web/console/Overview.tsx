import { Suspense } from 'react';
import { Link } from 'wouter';
import { Heading } from '../shared/Heading';
import { later } from '../shared/later';
import { alertsOf, notable } from './alerts';
import { Heat } from './Heat';
import { PartitionTable } from './PartitionTable';
import { useWatched, type Sample } from './samples';
import { consoleTexts } from './texts';
import { Unwatched } from './Unwatched';

/** The library that draws them is most of the page's code. */
const Charts = later(async () => (await import('./Charts')).Charts);

/** Most partitions of the summary. */
const NOTABLE_MAX = 10;

const of = consoleTexts.overview;

/** Keeps the room of the charts. */
function ChartsSkeleton() {
  return (
    <div className="charts" aria-hidden="true">
      {[of.rate, of.depth, of.oldest].map((name) => (
        <div key={name} className="chart" />
      ))}
    </div>
  );
}

interface Figure {
  readonly label: string;
  readonly value: string;
  readonly place: string;
  readonly isBad?: boolean;
}

function figuresOf({ totals, wait, workers, deadLetters }: Sample): Figure[] {
  const shown = consoleTexts;
  const rate = totals.perSecond === null ? shown.unknown : shown.rate(totals.perSecond);
  return [
    { label: of.rate, value: rate, place: '/commands' },
    { label: of.p50, value: wait ? shown.ms(wait.p50Ms) : '–', place: '/commands' },
    { label: of.p99, value: wait ? shown.ms(wait.p99Ms) : '–', place: '/commands' },
    { label: of.depth, value: shown.count(totals.depth), place: '/partitions/sort=-depth' },
    { label: of.oldest, value: shown.age(totals.oldestAgeMs), place: '/partitions/sort=-oldest' },
    {
      ...{ label: of.workers, value: String(workers.length), place: '/workers' },
      isBad: workers.length === 0,
    },
    {
      ...{ label: of.letters, value: of.lettersCount(deadLetters), place: '/dead-letters' },
      isBad: deadLetters > 0,
    },
  ];
}

function Figures({ sample }: { readonly sample: Sample }) {
  return (
    <ul className="figures" aria-label={of.summary}>
      {figuresOf(sample).map(({ label, value, place, isBad }) => (
        <li key={label} className={isBad ? 'bad' : ''}>
          <Link href={place}>
            <span>{label}</span> <strong>{value}</strong>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Alerts({ sample }: { readonly sample: Sample }) {
  const alerts = alertsOf(sample);
  return (
    <section className="alerts" aria-label={of.alerts}>
      {alerts.length === 0 ? (
        <p>{of.fine}</p>
      ) : (
        <ul>
          {alerts.map(({ text, place }) => (
            <li key={text}>
              <Link href={place}>{text}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Shows how the service is doing, with the notable things first. */
export function Overview() {
  const { last } = useWatched();
  return (
    <>
      <Heading>{of.heading}</Heading>
      <Unwatched />
      {last && (
        <>
          <Alerts sample={last} />
          <Figures sample={last} />
        </>
      )}
      <Suspense fallback={<ChartsSkeleton />}>
        <Charts />
      </Suspense>
      {last && (
        <>
          <Heat partitions={last.partitions} />
          <h2>{of.busiest}</h2>
          <PartitionTable
            name={of.busiest}
            partitions={notable(last.partitions, NOTABLE_MAX)}
            none={of.quiet}
          />
          <p>
            <Link href="/partitions">{of.all(last.partitions.length)}</Link>
          </p>
        </>
      )}
    </>
  );
}
