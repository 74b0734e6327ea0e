import { Heading } from '../../shared/Heading';
import { ImportBooks } from './ImportBooks';
import { RegisterBook } from './RegisterBook';
import { adminTexts } from './texts';

/**
 * What administrators do with the whole catalogue; what concerns one title stands at that title.
 */
export function Catalogue() {
  return (
    <>
      <Heading>{adminTexts.heading}</Heading>
      <RegisterBook />
      <ImportBooks />
    </>
  );
}
