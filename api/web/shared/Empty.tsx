import type { ReactNode } from 'react';

/** Shows what an empty place is for, and the next step. */
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
