import { useMutation } from '@tanstack/react-query';
import { answered, client } from './client';
import { fieldsOf } from './form';
import { Heading } from './Heading';
import { ProblemNotice } from './ProblemNotice';
import { signIn } from './session';
import { texts } from './texts';

/** Somebody who signed in with a password that was made for them. */
export interface FirstSignIn {
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

async function choosePassword(
  { username, password, token }: FirstSignIn,
  newPassword: string,
): Promise<string> {
  const body = { currentPassword: password, newPassword };
  await answered(client.withToken(token).request('PUT', '/api/users/me/password', { body }));
  // The change has ended the token.
  const account = await answered(client.accounts.logIn({ username, password: newPassword }));
  return account.accessToken;
}

/** Asks for a password of one's own, and signs in with it. */
export function FirstPassword({ first }: { readonly first: FirstSignIn }) {
  const choose = useMutation({
    mutationFn: (newPassword: string) => choosePassword(first, newPassword),
    networkMode: 'always',
    onSuccess: signIn,
  });
  return (
    <article className="sign-in">
      <Heading>{texts.account.choosePassword}</Heading>
      <p>{texts.account.firstPassword}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose.mutate(fieldsOf(event.currentTarget)('newPassword'));
        }}
      >
        <input name="username" autoComplete="username" value={first.username} readOnly hidden />
        <label>
          {texts.account.newPassword}
          <input
            name="newPassword"
            type="password"
            required
            minLength={8}
            maxLength={128}
            autoComplete="new-password"
          />
        </label>
        <ProblemNotice error={choose.error} />
        <button aria-busy={choose.isPending} disabled={choose.isPending}>
          {texts.account.savePassword}
        </button>
      </form>
    </article>
  );
}
