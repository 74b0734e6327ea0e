import { Heading } from '../../shared/Heading';
import { texts } from '../../shared/texts';
import { ImportBooks } from './ImportBooks';
import { RegisterBook } from './RegisterBook';

/**
 * What administrators do with the whole catalogue; what concerns one title stands at that title.
 */
export function Catalogue() {
  return (
    <>
      <Heading>{texts.admin.heading}</Heading>
      <RegisterBook />
      <ImportBooks />
    </>
  );
}
