import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Frame } from '../shared/Frame';
import { ProblemNotice } from '../shared/ProblemNotice';
import { useSession } from '../shared/session';
import { SignIn } from '../shared/SignIn';
import { texts } from '../shared/texts';
import { Commands } from './Commands';
import { DeadLetters } from './DeadLetters';
import { Events } from './Events';
import { Partitions } from './Partitions';
import { useSamples, WatchedProvider } from './samples';
import { Workers } from './Workers';

const PLACES = [
  { path: '/partitions', label: texts.console.partitions.heading, shows: Partitions },
  { path: '/commands', label: texts.console.commands.heading, shows: Commands },
  { path: '/workers', label: texts.console.workers.heading, shows: Workers },
  { path: '/dead-letters', label: texts.console.letters.heading, shows: DeadLetters },
  { path: '/events', label: texts.console.events.heading, shows: Events },
];

function Navigation() {
  const [location] = useLocation();
  return PLACES.map(({ path, label }) => (
    <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
      {label}
    </Link>
  ));
}

/** Everything is fed by one stream, which stays open from place to place. */
function Watching() {
  const watched = useSamples();
  return (
    <WatchedProvider value={watched}>
      <ProblemNotice error={watched.error} />
      {watched.samples.length === 0 && !watched.error && <p aria-busy="true">{texts.loading}</p>}
      {watched.samples.at(-1)?.databaseAway && <p role="alert">{texts.console.databaseAway}</p>}
      <Switch>
        {PLACES.map(({ path, shows: Place }) => (
          <Route key={path} path={path}>
            <Place />
          </Route>
        ))}
        <Route>
          <Redirect to="/partitions" replace />
        </Route>
      </Switch>
    </WatchedProvider>
  );
}

/** The page for operators. */
export function Console() {
  const { user } = useSession();
  const isOpen = user?.isAdmin ?? false;
  return (
    <Router hook={useHashLocation}>
      <Frame name={texts.console.name} navigation={isOpen && <Navigation />}>
        {isOpen ? <Watching /> : user ? <p role="alert">{texts.console.adminsOnly}</p> : <SignIn />}
      </Frame>
    </Router>
  );
}
