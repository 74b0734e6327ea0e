import { texts } from './texts';

export interface PagesProps {
  readonly list: {
    readonly page: number;
    readonly totalPages: number;
    readonly totalIsAtLeast?: true;
  };
  readonly go: (page: number) => void;
}

/** Shows the pages of a list, when there are several. */
export function Pages({ list: { page, totalPages, totalIsAtLeast }, go }: PagesProps) {
  if (totalPages <= 1) return null;
  const step = (label: string, to: number) => (
    <button
      type="button"
      className="secondary small"
      disabled={to < 1 || to > totalPages}
      onClick={() => {
        go(to);
      }}
    >
      {label}
    </button>
  );
  return (
    <nav aria-label={texts.pages.name} className="pages">
      {step(texts.pages.previous, page - 1)}
      <span>{texts.pages.position(page, totalPages, totalIsAtLeast ?? false)}</span>
      {step(texts.pages.next, page + 1)}
    </nav>
  );
}
