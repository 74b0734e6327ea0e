import { useMutation } from '@tanstack/react-query';
import { useId, useState, type SubmitEvent } from 'react';
import { Link } from 'wouter';
import { client } from '../shared/client';
import { Field } from '../shared/Field';
import { fieldsOf } from '../shared/form';
import { Heading } from '../shared/Heading';
import { ProblemNotice } from '../shared/ProblemNotice';
import { signIn } from '../shared/session';
import { texts } from '../shared/texts';
import { LONG_WAIT_S, newIntent, optionsOf, Promised, written, type Intent } from '../shared/write';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A promised account can be used once its command has ended. */
const signUp = async (intent: Intent<Credentials>) =>
  written(client.accounts.signUp(intent.input, optionsOf(intent, LONG_WAIT_S)));

const password = {
  type: 'password',
  required: true,
  minLength: 8,
  maxLength: 128,
  autoComplete: 'new-password',
} as const;

/** Creates an account and signs in. */
export function SignUp() {
  const [differ, setDiffer] = useState(false);
  const [rule, fault] = [useId(), useId()];
  const create = useMutation({
    mutationFn: (credentials: Credentials) => signUp(newIntent(credentials)),
    networkMode: 'always',
    onSuccess: (account) => {
      if (!(account instanceof Promised)) signIn(account.accessToken);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = fieldsOf(event.currentTarget);
    const isSame = field('password') === field('repeat');
    setDiffer(!isSame);
    if (isSame && !create.isPending)
      create.mutate({ username: field('username'), password: field('password') });
  };
  return (
    <article className="sign-in">
      <Heading>{texts.account.signUp}</Heading>
      <form onSubmit={submit}>
        <Field
          label={texts.account.username}
          name="username"
          required
          maxLength={255}
          autoComplete="username"
          autoCapitalize="none"
          error={create.error}
        />
        <Field
          label={texts.account.password}
          name="password"
          aria-describedby={rule}
          {...password}
          error={create.error}
        />
        <p className="hint" id={rule}>
          {texts.account.passwordRule}
        </p>
        <label>
          {texts.account.repeat}
          <input
            name="repeat"
            {...password}
            aria-invalid={differ || undefined}
            aria-describedby={differ ? fault : undefined}
          />
          {differ && (
            <small id={fault} role="alert">
              {texts.account.passwordsDiffer}
            </small>
          )}
        </label>
        <ProblemNotice error={create.error} unanswered={texts.notSent} />
        <button aria-busy={create.isPending} aria-disabled={create.isPending}>
          {texts.account.signUp}
        </button>
      </form>
      <p>
        <Link href="/sign-in" state={history.state as object} replace>
          {texts.account.have}
        </Link>
      </p>
    </article>
  );
}
