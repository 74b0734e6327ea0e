import { Suspense } from 'react';
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { AdminsOnly } from '../shared/AdminsOnly';
import { Frame } from '../shared/Frame';
import { later } from '../shared/later';
import { ProblemNotice } from '../shared/ProblemNotice';
import { useSession } from '../shared/session';
import { SignIn } from '../shared/SignIn';
import { Skeleton } from '../shared/Skeleton';
import { Overview } from './Overview';
import { useSamples, useWatched, WatchedProvider } from './samples';
import { consoleTexts } from './texts';

const Partitions = later(async () => (await import('./Partitions')).Partitions);
const Commands = later(async () => (await import('./Commands')).Commands);
const Workers = later(async () => (await import('./Workers')).Workers);
const Worker = later(async () => (await import('./Workers')).Worker);
const DeadLetters = later(async () => (await import('./DeadLetters')).DeadLetters);
const Events = later(async () => (await import('./Events')).Events);

const LETTERS = '/dead-letters';
const PLACES = [
  { path: '/overview', label: consoleTexts.overview.heading, shows: Overview },
  { path: '/partitions', label: consoleTexts.partitions.heading, shows: Partitions },
  { path: '/commands', label: consoleTexts.commands.heading, shows: Commands },
  { path: '/workers', label: consoleTexts.workers.heading, shows: Workers },
  { path: LETTERS, label: consoleTexts.letters.heading, shows: DeadLetters },
  { path: '/events', label: consoleTexts.events.heading, shows: Events },
];

function Navigation() {
  const [location] = useLocation();
  const letters = useWatched().last?.deadLetters ?? 0;
  return PLACES.map(({ path, label }) => (
    <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
      {label}
      {path === LETTERS && letters > 0 && (
        <span className="count">{consoleTexts.overview.lettersCount(letters)}</span>
      )}
    </Link>
  ));
}

function Places() {
  const { last, error } = useWatched();
  return (
    <>
      <ProblemNotice error={error} />
      {last?.databaseAway && <p role="alert">{consoleTexts.databaseAway}</p>}
      <Suspense fallback={<Skeleton />}>
        <Switch>
          <Route path="/workers/:worker">
            {({ worker }) =>
              worker.includes('=') ? <Workers /> : <Worker worker={decodeURIComponent(worker)} />
            }
          </Route>
          {PLACES.map(({ path, shows: Place }) => (
            <Route key={path} path={`${path}/:state?`}>
              <Place />
            </Route>
          ))}
          <Route>
            <Redirect to="/overview" replace />
          </Route>
        </Switch>
      </Suspense>
    </>
  );
}

/** Shows the page for operators. One stream feeds everything and stays open from place to place. */
export function Console() {
  const { user } = useSession();
  const isOpen = user?.isAdmin ?? false;
  const watched = useSamples(isOpen);
  return (
    <Router hook={useHashLocation}>
      <WatchedProvider value={watched}>
        <Frame name={consoleTexts.name} home="/console" navigation={isOpen && <Navigation />}>
          {isOpen ? (
            <Places />
          ) : user ? (
            <AdminsOnly name={consoleTexts.name} text={consoleTexts.adminsOnly} />
          ) : (
            <SignIn />
          )}
        </Frame>
      </WatchedProvider>
    </Router>
  );
}
