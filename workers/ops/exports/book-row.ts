/** A title as `export-books` writes it and `import-books` takes it. */
export interface BookRow {
  readonly title: string;
  readonly author: string;
  readonly isbn: string | null;
  readonly publicationDate: string | null;
  readonly bookImg: string | null;
  readonly copies: number;
  readonly barcodes: readonly string[];
}
