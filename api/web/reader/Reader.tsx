import { useEffect, useRef, type ReactNode } from 'react';
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Frame } from '../shared/Frame';
import { useSession, type User } from '../shared/session';
import { SignIn } from '../shared/SignIn';
import { texts } from '../shared/texts';
import { Catalogue } from './admin/Catalogue';
import { BookDetail } from './books/BookDetail';
import { BookSearch } from './books/BookSearch';
import { MyBooks } from './books/MyBooks';
import { CourseDetail } from './courses/CourseDetail';
import { Courses } from './courses/Courses';
import { pathOfPosts, tagsOf } from './posts/places';
import { PostDetail } from './posts/PostDetail';
import { Posts } from './posts/Posts';
import { WritePost } from './posts/WritePost';
import { useSegment } from './segment';
import { SignInLink, SignInPlace } from './SignInPlace';

/** Places stand behind the `#` of the address: paths belong to the API. */

interface Place {
  readonly path: string;
  readonly label: string;
  readonly isOpen: (user: User | null) => boolean;
}

const PLACES: readonly Place[] = [
  { path: '/find', label: texts.navigation.books, isOpen: () => true },
  { path: '/mine', label: texts.navigation.mine, isOpen: (user) => user !== null },
  { path: '/posts', label: texts.navigation.posts, isOpen: () => true },
  { path: '/courses', label: texts.navigation.courses, isOpen: () => true },
  { path: '/admin', label: texts.navigation.admin, isOpen: (user) => user?.isAdmin ?? false },
];

function Navigation() {
  const [location] = useLocation();
  const { user } = useSession();
  return (
    <>
      {PLACES.filter(({ isOpen }) => isOpen(user)).map(({ path, label }) => (
        <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
          {label}
        </Link>
      ))}
      {!user && <SignInLink>{texts.account.signIn}</SignInLink>}
    </>
  );
}

/**
 * What only those who are signed in can see; others sign in first, and are then where they wanted
 * to be.
 */
function SignedIn({ children }: { readonly children: (user: User) => ReactNode }) {
  const { user } = useSession();
  return user ? children(user) : <SignIn withSignUp />;
}

/** A new place begins at its top, for the eyes and for the keyboard. */
function useStartOfPlace(place: string): void {
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus();
  }, [place]);
}

function Places() {
  const [location] = useLocation();
  const tags = tagsOf(useSegment(3));
  // Another search is no other place: who types goes on typing.
  useStartOfPlace(/^\/find|^\/posts\/(?:latest|tags)|/.exec(location)?.[0] || location);
  return (
    <Switch>
      <Route path="/find/:search?">
        <BookSearch />
      </Route>
      <Route path="/books/:bookInfoId">
        {({ bookInfoId }) => <BookDetail key={bookInfoId} bookInfoId={Number(bookInfoId)} />}
      </Route>
      <Route path="/mine">
        <SignedIn>{() => <MyBooks />}</SignedIn>
      </Route>
      <Route path="/posts/latest/:page?">
        {({ page }) => <Posts tags={[]} page={Number(page ?? 1)} />}
      </Route>
      <Route path="/posts/tags/:tags/:page?">
        {({ page }) => <Posts tags={tags} page={Number(page ?? 1)} />}
      </Route>
      <Route path="/posts/:postId">
        {({ postId }) => <PostDetail key={postId} postId={Number(postId)} />}
      </Route>
      <Route path="/posts">
        <Redirect to={pathOfPosts([])} replace />
      </Route>
      <Route path="/write">
        <SignedIn>{(user) => <WritePost user={user} />}</SignedIn>
      </Route>
      <Route path="/courses">
        <Courses />
      </Route>
      <Route path="/courses/:courseId">
        {({ courseId }) => <CourseDetail key={courseId} courseId={Number(courseId)} />}
      </Route>
      <Route path="/admin">
        <SignedIn>
          {({ isAdmin }) => (isAdmin ? <Catalogue /> : <Redirect to="/find" replace />)}
        </SignedIn>
      </Route>
      <Route path="/sign-in">
        <SignInPlace />
      </Route>
      <Route>
        <Redirect to="/find" replace />
      </Route>
    </Switch>
  );
}

/** The page for readers. */
export function Reader() {
  return (
    <Router hook={useHashLocation}>
      <Frame name={texts.name} navigation={<Navigation />}>
        <Places />
      </Frame>
    </Router>
  );
}
