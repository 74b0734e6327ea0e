import { texts } from './texts';

/** Shows the heading of a place, and sets the title of the window. */
export function Heading({ children }: { readonly children: string }) {
  return (
    <>
      <title>{texts.pageTitle(children)}</title>
      <h1>{children}</h1>
    </>
  );
}
