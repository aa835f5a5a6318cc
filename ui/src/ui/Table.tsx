// A table that scrolls by itself where it does not fit, with its head from a list. Its cells may ask how wide it is
// (`@max-lg:hidden`): the same table stands alone on one page and beside others on the next.
import clsx from "clsx";
import type { ReactNode } from "react";

export interface Heading {
  name: string;
  /** Figures stand at the right. */
  num?: boolean;
  className?: string;
  /** Only for those who hear the page. */
  silent?: boolean;
}

export function Table({ head, children }: { head: readonly Heading[]; children: ReactNode }) {
  return (
    <div className="@container relative overflow-x-auto">
      <table className="grid-table">
        <thead>
          <tr>
            {head.map(({ name, num, className, silent }) => (
              <th key={name} scope="col" className={clsx(num && "num", className)}>
                {silent ? <span className="sr-only">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
