import type { ApiDocument, apiDocument } from './api-document';

declare global {
  /** Of the environment of the tests, which all files of a Jest worker share. */
  var apiDocumentOf: typeof apiDocument;
}

const documents = new Map<string, Promise<ApiDocument>>();

/** Returns the document that a service serves, fetched once. */
export function documentOf(origin: string): Promise<ApiDocument> {
  let document = documents.get(origin);
  if (!document) {
    // Not by Node's older client, whose exchanges are being looked at.
    document = fetch(`${origin}/openapi.json`).then(async (response) =>
      globalThis.apiDocumentOf(await response.text()),
    );
    documents.set(origin, document);
  }
  return document;
}
