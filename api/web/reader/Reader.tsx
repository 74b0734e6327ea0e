import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { Frame } from '../shared/Frame';
import { later } from '../shared/later';
import { useSession, type User } from '../shared/session';
import { Skeleton } from '../shared/Skeleton';
import { texts } from '../shared/texts';
import { BookDetail } from './books/BookDetail';
import { BookSearch } from './books/BookSearch';
import { SearchBox } from './books/SearchBox';
import { Home } from './home/Home';
import { NoticesLink } from './notices/NoticesLink';
import { places } from './places';
import { SignInFirst, SignInLink, SignInPlace } from './SignInPlace';

const Library = later(async () => (await import('./library/Library')).Library);
const Notices = later(async () => (await import('./notices/Notices')).Notices);
const Posts = later(async () => (await import('./posts/Posts')).Posts);
const PostDetail = later(async () => (await import('./posts/PostDetail')).PostDetail);
const WritePost = later(async () => (await import('./posts/WritePost')).WritePost);
const EditPost = later(async () => (await import('./posts/EditPost')).EditPost);
const Courses = later(async () => (await import('./courses/Courses')).Courses);
const CourseDetail = later(async () => (await import('./courses/CourseDetail')).CourseDetail);
const Player = later(async () => (await import('./courses/Player')).Player);
const CourseDesk = later(async () => (await import('./courses/desk/CourseDesk')).CourseDesk);
const Catalogue = later(async () => (await import('./admin/Catalogue')).Catalogue);

interface Place {
  readonly path: string;
  readonly label: string;
  readonly isOpen: (user: User | null) => boolean;
}

const NAVIGATION: readonly Place[] = [
  { path: places.books, label: texts.navigation.books, isOpen: () => true },
  { path: places.library, label: texts.navigation.mine, isOpen: (user) => user !== null },
  { path: places.posts, label: texts.navigation.posts, isOpen: () => true },
  { path: places.courses, label: texts.navigation.courses, isOpen: () => true },
  { path: places.admin, label: texts.navigation.admin, isOpen: (user) => user?.isAdmin ?? false },
];

function Navigation() {
  const [location] = useLocation();
  const { user } = useSession();
  return (
    <>
      {NAVIGATION.filter(({ isOpen }) => isOpen(user)).map(({ path, label }) => (
        <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
          {label}
        </Link>
      ))}
      {user?.isAdmin && <a href="/desk">{texts.navigation.desk}</a>}
      {user ? <NoticesLink /> : <SignInLink>{texts.account.signIn}</SignInLink>}
    </>
  );
}

/**
 * What only those who are signed in can see; others sign in first, and are then where they wanted
 * to be.
 */
function SignedIn({ children }: { readonly children: (user: User) => ReactNode }) {
  const { user } = useSession();
  return user ? children(user) : <SignInFirst />;
}

/** A new place begins at its top, for the eyes and for the keyboard. */
function useStartOfPlace(place: string): void {
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    // Another search is no other place: who types goes on typing.
    if (document.activeElement?.matches('header [type=search]')) return;
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus();
  }, [place]);
}

/** The places of one course. */
function CoursePlaces() {
  return (
    <Switch>
      <Route path={`${places.courses}/:courseId`}>
        {({ courseId }) => <CourseDetail key={courseId} courseId={Number(courseId)} />}
      </Route>
      <Route path={`${places.courses}/:courseId/desk`}>
        {({ courseId }) => (
          <SignedIn>
            {(user) => <CourseDesk key={courseId} courseId={Number(courseId)} user={user} />}
          </SignedIn>
        )}
      </Route>
      <Route path={`${places.courses}/:courseId/watch/:videoId`}>
        {({ courseId, videoId }) => (
          <Player key={courseId} courseId={Number(courseId)} videoId={Number(videoId)} />
        )}
      </Route>
      <Route>
        <Redirect to={places.courses} replace />
      </Route>
    </Switch>
  );
}

function Places() {
  const [location] = useLocation();
  useStartOfPlace(location);
  return (
    <Switch>
      <Route path={places.home}>
        <Home />
      </Route>
      <Route path={places.books}>
        <BookSearch />
      </Route>
      <Route path={`${places.books}/:bookInfoId`}>
        {({ bookInfoId }) => <BookDetail key={bookInfoId} bookInfoId={Number(bookInfoId)} />}
      </Route>
      <Route path={places.library}>
        <SignedIn>{() => <Library />}</SignedIn>
      </Route>
      <Route path={places.notices}>
        <SignedIn>{() => <Notices />}</SignedIn>
      </Route>
      <Route path={places.posts}>
        <Posts />
      </Route>
      <Route path={places.writePost}>
        <SignedIn>{(user) => <WritePost user={user} />}</SignedIn>
      </Route>
      <Route path={`${places.posts}/:postId/edit`}>
        {({ postId }) => (
          <SignedIn>
            {(user) => <EditPost key={postId} postId={Number(postId)} user={user} />}
          </SignedIn>
        )}
      </Route>
      <Route path={`${places.posts}/:postId`}>
        {({ postId }) => <PostDetail key={postId} postId={Number(postId)} />}
      </Route>
      <Route path={places.courses}>
        <Courses />
      </Route>
      <Route path={`${places.courses}/:courseId/*?`}>
        <CoursePlaces />
      </Route>
      <Route path={places.admin}>
        <SignedIn>
          {({ isAdmin }) => (isAdmin ? <Catalogue /> : <Redirect to={places.books} replace />)}
        </SignedIn>
      </Route>
      <Route path={places.signIn}>
        <SignInPlace />
      </Route>
      <Route path={places.signUp}>
        <SignInPlace isNew />
      </Route>
      <Route>
        <Redirect to={places.home} replace />
      </Route>
    </Switch>
  );
}

/** The page for readers. */
export function Reader() {
  return (
    <Frame name={texts.name} home={places.home} search={<SearchBox />} navigation={<Navigation />}>
      <Suspense fallback={<Skeleton />}>
        <Places />
      </Suspense>
    </Frame>
  );
}
