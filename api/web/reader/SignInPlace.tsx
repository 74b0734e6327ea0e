import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../shared/session';
import { SignIn } from '../shared/SignIn';
import { texts } from '../shared/texts';
import { SignUp } from './SignUp';

/** Signing in or up, and going back to where somebody came from. */

interface From {
  readonly from?: string;
}

export function SignInLink({
  children,
  className,
}: {
  readonly children: string;
  readonly className?: string;
}) {
  const [place] = useLocation();
  const state: From = { from: place + location.search };
  return (
    <Link
      href="/sign-in"
      state={state}
      className={className}
      aria-current={place === '/sign-in' ? 'page' : undefined}
    >
      {children}
    </Link>
  );
}

/** What those who are not signed in see of a place that is only for others. */
export function SignInFirst() {
  const [place] = useLocation();
  const state: From = { from: place, ...(history.state as object | null) };
  return (
    <SignIn>
      <p>
        <Link href="/sign-up" state={state}>
          {texts.account.haveNone}
        </Link>
      </p>
    </SignIn>
  );
}

export function SignInPlace({ isNew = false }: { readonly isNew?: boolean }) {
  const { user } = useSession();
  const [, navigate] = useLocation();
  const { from = '/' } = (history.state ?? {}) as From;
  useEffect(() => {
    if (user) navigate(from, { replace: true });
  }, [user, from, navigate]);
  if (user) return null;
  return isNew ? <SignUp /> : <SignInFirst />;
}
