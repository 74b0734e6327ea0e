import { Suspense } from 'react';
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { AdminsOnly } from '../shared/AdminsOnly';
import { Frame } from '../shared/Frame';
import { later } from '../shared/later';
import { useSession } from '../shared/session';
import { SignIn } from '../shared/SignIn';
import { Skeleton } from '../shared/Skeleton';
import { Circulation } from './Circulation';
import { deskTexts } from './texts';

const People = later(async () => (await import('./People')).People);
const PersonPlace = later(async () => (await import('./PersonPlace')).PersonPlace);
const Overdue = later(async () => (await import('./Overdue')).Overdue);
const AuditPlace = later(async () => (await import('./AuditPlace')).AuditPlace);
const Webhooks = later(async () => (await import('./Webhooks')).Webhooks);

const PLACES = [
  { path: '/circulation', label: deskTexts.circulation.heading, shows: Circulation },
  { path: '/people', label: deskTexts.people.heading, shows: People },
  { path: '/overdue', label: deskTexts.overdue.heading, shows: Overdue },
  { path: '/audit', label: deskTexts.audit.heading, shows: AuditPlace },
  { path: '/webhooks', label: deskTexts.webhooks.heading, shows: Webhooks },
];
/** A place of the readers' page. */
const CATALOGUE = '/admin';

function Navigation() {
  const [location] = useLocation();
  return (
    <>
      {PLACES.map(({ path, label }) => (
        <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
          {label}
        </Link>
      ))}
      <a href={CATALOGUE}>{deskTexts.catalogue}</a>
    </>
  );
}

function Places() {
  return (
    <Switch>
      <Route path="/people/:userId/:username">
        {({ userId, username }) => (
          <PersonPlace
            key={userId}
            userId={Number(userId)}
            username={decodeURIComponent(username)}
          />
        )}
      </Route>
      {PLACES.map(({ path, shows: Place }) => (
        <Route key={path} path={path}>
          <Place />
        </Route>
      ))}
      <Route>
        <Redirect to="/circulation" replace />
      </Route>
    </Switch>
  );
}

/** Shows the page for people who work at the library's desk. */
export function Desk() {
  const { user } = useSession();
  const isOpen = user?.isAdmin ?? false;
  return (
    <Router hook={useHashLocation}>
      <Frame name={deskTexts.name} home="/desk" navigation={isOpen && <Navigation />}>
        {isOpen ? (
          <Suspense fallback={<Skeleton />}>
            <Places />
          </Suspense>
        ) : user ? (
          <AdminsOnly name={deskTexts.name} text={deskTexts.adminsOnly} />
        ) : (
          <SignIn />
        )}
      </Frame>
    </Router>
  );
}
