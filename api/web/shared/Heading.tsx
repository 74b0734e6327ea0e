import { texts } from './texts';

/** What a place of the page is called, at its top and in the title of the window. */
export function Heading({ children }: { readonly children: string }) {
  return (
    <>
      <title>{texts.pageTitle(children)}</title>
      <h1>{children}</h1>
    </>
  );
}
