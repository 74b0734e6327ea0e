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
  const headers = { Authorization: `Bearer ${token}` };
  await answered(
    client.PUT('/api/users/me/password', {
      body: { currentPassword: password, newPassword },
      headers,
    }),
  );
  // The change has ended the token.
  return (
    await answered(client.POST('/api/auth/login', { body: { username, password: newPassword } }))
  ).accessToken;
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
