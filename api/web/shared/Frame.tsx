import type { ReactNode } from 'react';
import { chooseLanguage, language, LANGUAGES, type Language } from './format';
import { OfflineNotice } from './OfflineNotice';
import { Pending } from './Pending';
import { useSession } from './session';
import { signOut } from './sign-out';
import { texts } from './texts';

/**
 * Shows what every page has around its content: navigation, the signed-in user, and pending
 * commands.
 */
export function Frame({
  name,
  home,
  search,
  navigation,
  children,
}: {
  readonly name: string;
  /** Where the name leads. */
  readonly home: string;
  readonly search?: ReactNode;
  readonly navigation: ReactNode;
  readonly children: ReactNode;
}) {
  const { user, hasEnded } = useSession();
  return (
    <>
      <a href="#content" className="skip" onClick={skipToContent}>
        {texts.skip}
      </a>
      <header>
        <nav aria-label={name}>
          <a className="brand" href={home}>
            {name}
          </a>
          {search}
          <div className="places">{navigation}</div>
          {user && (
            <span className="account">
              <span className="who">{user.username}</span>
              <button type="button" className="small secondary" onClick={signOut}>
                {texts.account.signOut}
              </button>
            </span>
          )}
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {hasEnded && <p role="alert">{texts.account.ended}</p>}
        <OfflineNotice />
        <Pending />
        {children}
      </main>
      <footer>
        <ChooseLanguage />
      </footer>
    </>
  );
}

/** Names of languages are written in themselves. */
function ChooseLanguage() {
  return (
    <div className="actions" role="group" aria-label={texts.language}>
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <button
          key={code}
          type="button"
          className="quiet small"
          lang={code}
          aria-pressed={code === language}
          onClick={() => {
            chooseLanguage(code as Language);
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The address after `#` is a place of the page, so that link must not change it. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
