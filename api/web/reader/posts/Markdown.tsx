import { micromark } from 'micromark';
import { useMemo } from 'react';

/** A picture would tell another server who reads: its text is shown. */
const WITHOUT_PICTURES = { disable: { null: ['labelStartImage'] } };

/**
 * A text in Markdown. HTML in it is shown as text, and links lead to web and mail addresses only:
 * micromark leaves both out unless it is told otherwise.
 */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => micromark(text, { extensions: [WITHOUT_PICTURES] }), [text]);
  return <div className="content" dangerouslySetInnerHTML={{ __html: html }} />;
}
