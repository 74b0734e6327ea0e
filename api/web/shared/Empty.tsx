import type { ReactNode } from 'react';

/** A place with nothing in it: what it is for, and the next step. */
export function Empty({
  text,
  children,
}: {
  readonly text: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <p role="status">{text}</p>
      {children}
    </div>
  );
}
