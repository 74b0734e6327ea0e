import type { ApiDocument, apiDocument } from './api-document';

declare global {
  /** Of the environment of the tests, which all files of a Jest worker share. */
  var apiDocumentOf: typeof apiDocument;
}

const documents = new Map<string, Promise<ApiDocument>>();

async function textOf(url: string): Promise<string> {
  // Not by Node's older client, whose exchanges are being looked at.
  const response = await fetch(url);
  const text = await response.text();
  // The test computed for so long between the connection and the request that the service gave up.
  if (response.status === 408) return textOf(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** Returns the document that a service serves, fetched once. */
export function documentOf(origin: string): Promise<ApiDocument> {
  let document = documents.get(origin);
  if (!document) {
    document = textOf(`${origin}/openapi.json`).then((text) => globalThis.apiDocumentOf(text));
    documents.set(origin, document);
  }
  return document;
}
