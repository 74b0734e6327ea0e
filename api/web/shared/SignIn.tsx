import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { answered, client } from './client';
import { FirstPassword, type FirstSignIn } from './FirstPassword';
import { fieldsOf } from './form';
import { Heading } from './Heading';
import { ProblemNotice } from './ProblemNotice';
import { signIn } from './session';
import { texts } from './texts';
import { headersOf, newIntent, written, type Intent } from './write';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Both answer with a token; an account that is only promised can be used once it is there. */
const logIn = async (body: Credentials) => answered(client.POST('/api/auth/login', { body }));
const signUp = async (intent: Intent<Credentials>) =>
  written(
    client.POST('/api/auth/signup', { body: intent.input, params: { header: headersOf(intent) } }),
  );

/** For where an identity provider issues the tokens, and the service has no accounts. */
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

/** Signing in, or making an account, which signs in as well. */
export function SignIn({ withSignUp = false }: { readonly withSignUp?: boolean }) {
  const [first, setFirst] = useState<FirstSignIn | null>(null);
  const enter = useMutation({
    mutationFn: ({ credentials, isNew }: { credentials: Credentials; isNew: boolean }) =>
      isNew ? signUp(newIntent(credentials)) : logIn(credentials),
    networkMode: 'always',
    onSuccess: (account, { credentials }) => {
      if (account?.mustChangePassword) setFirst({ ...credentials, token: account.accessToken });
      else if (account) signIn(account.accessToken);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = fieldsOf(event.currentTarget);
    const credentials = { username: field('username'), password: field('password') };
    enter.mutate({
      credentials,
      isNew: (event.nativeEvent.submitter as HTMLButtonElement | null)?.value === 'new',
    });
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
        <ProblemNotice error={enter.error} />
        <button aria-busy={enter.isPending} disabled={enter.isPending}>
          {texts.account.signIn}
        </button>
        {withSignUp && (
          <button value="new" className="secondary" disabled={enter.isPending}>
            {texts.account.signUp}
          </button>
        )}
      </form>
      <TokenForm />
    </article>
  );
}
