import clsx from "clsx";
import type { ReactNode } from "react";
import { useStatus } from "@/live/LiveProvider";
import { Freshness } from "./Freshness";

interface Props {
  title?: ReactNode;
  actions?: ReactNode;
  /** When what is shown was last known to be true; shown as its age. */
  updatedAt?: number | undefined;
  /** Fed by the stream: true as long as the stream is open. */
  live?: boolean;
  children: ReactNode;
  className?: string;
  /** No padding: for tables and charts. */
  flush?: boolean;
}

/** Whether what the stream feeds is old: nobody tells of changes any more. */
export function useStale(): boolean {
  const status = useStatus();
  return status === "broken" || status === "resting";
}

export function Panel({ title, actions, updatedAt, live, children, className, flush }: Props) {
  const stale = useStale() && (live || updatedAt !== undefined);
  return (
    <section
      className={clsx("panel min-w-0", className)}
      aria-label={typeof title === "string" ? title : undefined}
    >
      {(title || actions) && (
        <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {(updatedAt !== undefined || live) && <Freshness updatedAt={updatedAt} live={live ?? false} />}
          <div className="ml-auto flex items-center gap-1.5">{actions}</div>
        </header>
      )}
      <div className={clsx(!flush && "p-4", stale && "stale")}>{children}</div>
    </section>
  );
}
