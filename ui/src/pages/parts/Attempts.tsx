import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { useMemo, useState } from "react";
import type { Job, LiveEvent } from "@/api/types";
import { clip } from "@/lib/format";
import { type Attempt, attempts, attemptTime } from "@/lib/history";
import { clock, exact } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { Copy } from "@/ui/Copy";
import { Fold } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";

const TONES: Record<Attempt["outcome"], string> = {
  running: "text-s-active",
  completed: "text-good",
  failed: "text-s-retrying",
  dead: "text-bad",
  "lease lost": "text-warn",
  released: "text-ink-2",
  held: "text-s-held",
  cancelled: "text-s-cancelled",
  ended: "text-ink-2",
};

export function Attempts({ events, job, live }: { events: LiveEvent[]; job: Job; live: boolean }) {
  const found = useMemo(() => attempts(events, job), [events, job]);
  if (found.length === 0) return null;
  const newest = [...found].reverse();
  return (
    <Panel title="Attempts" live={live} flush>
      <ol className="divide-y divide-line">
        {newest.map((attempt, at) => (
          <Row
            key={`${attempt.number}-${attempt.startedMs ?? attempt.endedMs}`}
            attempt={attempt}
            first={at === 0}
          />
        ))}
      </ol>
    </Panel>
  );
}

function Row({ attempt, first }: { attempt: Attempt; first: boolean }) {
  const now = useNow(1_000);
  const [open, setOpen] = useState(first);
  const error = attempt.error;
  const head = (
    <>
      <span className="nums grid size-6 shrink-0 place-items-center rounded-full border border-line text-xs">
        {attempt.number}
      </span>
      <span className={clsx("text-sm font-medium", TONES[attempt.outcome])}>{attempt.outcome}</span>
      {error && (
        <span className="min-w-0 flex-1 basis-40 truncate text-left text-sm text-ink-2">
          {clip(error.error || "no message", 200)}
        </span>
      )}
    </>
  );
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {error ? (
          <button
            type="button"
            className="flex min-w-0 flex-1 basis-64 items-center gap-3"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {head}
            <ChevronDown
              className={clsx("size-4 shrink-0 text-ink-3", open && "rotate-180")}
              aria-hidden="true"
            />
          </button>
        ) : (
          <span className="flex flex-1 items-center gap-3">{head}</span>
        )}
        <span className="nums flex gap-3 text-xs text-ink-3">
          {attempt.worker && (
            <Link to="/worker" search={{ id: attempt.worker }} className="link text-ink-2">
              {attempt.worker}
            </Link>
          )}
          {attempt.startedMs !== undefined && (
            <span title={exact(attempt.startedMs)}>{clock(attempt.startedMs).slice(0, 8)}</span>
          )}
          <span>{attemptTime(attempt, now)}</span>
        </span>
      </div>
      {error && open && (
        <div className="mt-2 ml-9 rounded-lg border border-line bg-sunken p-3">
          <div className="flex items-start gap-2">
            <Fold
              text={error.error || "no message"}
              className="font-mono text-xs break-words whitespace-pre-wrap text-bad"
            />
            <Copy text={[error.error, error.backtrace].filter(Boolean).join("\n")} label="Copy the error" />
          </div>
          {error.backtrace && (
            <Fold
              text={error.backtrace}
              className="mt-2 overflow-x-auto font-mono text-xs leading-relaxed whitespace-pre text-ink-2"
            />
          )}
          {attempt.nextAtMs !== undefined && attempt.nextAtMs > now && (
            <p className="mt-2 text-xs text-ink-3">
              Next attempt <Time at={attempt.nextAtMs} />
            </p>
          )}
        </div>
      )}
    </li>
  );
}
