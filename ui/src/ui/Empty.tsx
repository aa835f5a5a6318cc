import { type ReactNode, useState } from "react";
import { ApiError } from "@/api/client";
import { Button } from "./Button";

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="grid place-items-center px-6 py-14 text-center">
      {icon && (
        <div className="mb-3 grid size-11 place-items-center rounded-xl bg-sunken text-ink-3 [&>svg]:size-5">
          {icon}
        </div>
      )}
      <p className="text-base font-medium">{title}</p>
      {children && <div className="mt-1 max-w-md text-sm text-pretty text-ink-2">{children}</div>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}

/** What went wrong, and what to do about it. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <div role="alert" className="m-4 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-sm">
      <p className="font-medium text-bad">
        {known?.message ?? (error instanceof Error ? error.message : "Something went wrong")}
      </p>
      {known?.hint && <p className="mt-0.5 text-ink-2">{known.hint}</p>}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {retry && (
          <Button size="sm" onClick={retry}>
            Try again
          </Button>
        )}
        {known && (
          <code className="text-xs text-ink-2">
            {known.code}
            {known.requestId ? ` · ${known.requestId}` : ""}
          </code>
        )}
      </div>
    </div>
  );
}

export function Skeleton({ rows = 5, className }: { rows?: number; className?: string }) {
  return (
    <div className={className ?? "p-4"} aria-busy="true" role="status">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="mb-3 h-4 animate-shimmer rounded bg-line last:mb-0"
          style={{ width: `${92 - ((row * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}

/** A value that is long: cut until asked for. */
export function Fold({ text, lines = 12, className }: { text: string; lines?: number; className?: string }) {
  const [open, setOpen] = useState(false);
  const all = text.split("\n");
  const cut = !open && all.length > lines;
  return (
    <div>
      <pre className={className}>{cut ? all.slice(0, lines).join("\n") : text}</pre>
      {all.length > lines && (
        <Button size="sm" look="ghost" className="mt-1" onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${all.length} lines`}
        </Button>
      )}
    </div>
  );
}
