import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { answered, client } from './client';
import { FirstPassword, type FirstSignIn } from './FirstPassword';
import { fieldsOf } from './form';
import { Heading } from './Heading';
import { ProblemNotice } from './ProblemNotice';
import { signIn } from './session';
import { texts } from './texts';

/** Signs in with a token, when an identity provider issues them. */
function TokenForm() {
  const [isWrong, setIsWrong] = useState(false);
  return (
    <details>
      <summary>{texts.account.withToken}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setIsWrong(!signIn(fieldsOf(event.currentTarget)('token')));
        }}
      >
        <label>
          {texts.account.token}
          <input name="token" required autoComplete="off" aria-invalid={isWrong || undefined} />
        </label>
        {isWrong && <p role="alert">{texts.account.noToken}</p>}
        <button>{texts.account.signIn}</button>
      </form>
    </details>
  );
}

/** Signs somebody in. `children`: links to alternatives. */
export function SignIn({ children }: { readonly children?: ReactNode }) {
  const [first, setFirst] = useState<FirstSignIn | null>(null);
  const enter = useMutation({
    mutationFn: (body: { readonly username: string; readonly password: string }) =>
      answered(client.accounts.logIn(body)),
    networkMode: 'always',
    onSuccess: (account, credentials) => {
      if (account.mustChangePassword) setFirst({ ...credentials, token: account.accessToken });
      else signIn(account.accessToken);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = fieldsOf(event.currentTarget);
    enter.mutate({ username: field('username'), password: field('password') });
  };
  if (first) return <FirstPassword first={first} />;
  return (
    <article className="sign-in">
      <Heading>{texts.account.signIn}</Heading>
      <form onSubmit={submit}>
        <label>
          {texts.account.username}
          <input
            name="username"
            required
            maxLength={255}
            autoComplete="username"
            autoCapitalize="none"
          />
        </label>
        <label>
          {texts.account.password}
          <input
            name="password"
            type="password"
            required
            maxLength={128}
            autoComplete="current-password"
          />
        </label>
        <ProblemNotice error={enter.error} unanswered={texts.notSent} />
        <button aria-busy={enter.isPending} disabled={enter.isPending}>
          {texts.account.signIn}
        </button>
      </form>
      {children}
      <TokenForm />
    </article>
  );
}
