import { Heading } from './Heading';
import { texts } from './texts';

/** For who is signed in, and is no administrator. `text`: who the page is for. */
export function AdminsOnly({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <Heading>{name}</Heading>
      <div className="empty">
        <p role="alert">{text}</p>
        <a href="/">{texts.toLibrary}</a>
      </div>
    </>
  );
}
