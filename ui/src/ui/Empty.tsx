import { type ReactNode, useState } from "react";
import { ApiError } from "@/api/client";
import { clip, number } from "@/lib/format";
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
    <div
      role="alert"
      className="rounded-lg border border-bad/40 in-[.panel]:m-4 bg-bad-soft px-4 py-3 text-sm"
    >
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

/** Lines, and characters, that a long text shows of itself. */
const FOLDED_LINES = 12;
const FOLDED_CHARS = 2_000;

/** A text that is long: cut until asked for. */
export function Fold({ text, className }: { text: string; className?: string }) {
  const [open, setOpen] = useState(false);
  const lines = text.split("\n");
  const short = clip(lines.slice(0, FOLDED_LINES).join("\n"), FOLDED_CHARS);
  const all =
    lines.length > FOLDED_LINES ? `${number(lines.length)} lines` : `${number(text.length)} characters`;
  return (
    <div className="min-w-0 flex-1">
      <pre className={className}>{open ? text : short}</pre>
      {short !== text && (
        <Button size="sm" look="ghost" className="mt-1" onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${all}`}
        </Button>
      )}
    </div>
  );
}
