import { Link, Redirect, useLocation } from 'wouter';
import { useSession } from '../shared/session';
import { SignIn } from '../shared/SignIn';

/** Signing in, and going back to where somebody came from. */

interface From {
  readonly from?: string;
}

export function SignInLink({ children }: { readonly children: string }) {
  const [location] = useLocation();
  const state: From = { from: location };
  return (
    <Link href="/sign-in" state={state} aria-current={location === '/sign-in' ? 'page' : undefined}>
      {children}
    </Link>
  );
}

export function SignInPlace() {
  const { user } = useSession();
  const { from = '/' } = (history.state ?? {}) as From;
  return user ? <Redirect to={from} replace /> : <SignIn withSignUp />;
}
