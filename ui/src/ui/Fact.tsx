import type { ReactNode } from "react";

/** One line of a <dl>: what it is called above, what it is below. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-3">{term}</dt>
      <dd className="nums text-sm break-words">{children}</dd>
    </div>
  );
}
