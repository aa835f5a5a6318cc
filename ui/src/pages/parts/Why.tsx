// Why it is not running: one sentence per reason, by the server's own rules.
import clsx from "clsx";
import { CircleHelp, Timer } from "lucide-react";
import type { Explanation, Job } from "@/api/types";
import { duration } from "@/lib/time";
import { Time } from "@/ui/Time";

const QUESTION = "Why is it not running?";

/** Whether the question makes sense. */
export const isWaiting = (state: Job["state"]): boolean =>
  state === "pending" || state === "scheduled" || state === "retrying" || state === "held";

export function Why({ explanation }: { explanation: Explanation }) {
  // Nobody takes it until somebody does something: there is no time to guess.
  const stuck = explanation.reasons.some((reason) => reason.code === "no_worker" || reason.code === "paused");
  const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  return (
    <section
      aria-label={QUESTION}
      className={clsx(
        "mb-4 flex items-start gap-3 rounded-[10px] border px-4 py-3",
        stuck ? "border-warn/40 bg-warn-soft" : "border-accent/30 bg-accent-soft",
      )}
    >
      <CircleHelp
        className={clsx("mt-0.5 size-4.5 shrink-0", stuck ? "text-warn" : "text-accent")}
        aria-hidden="true"
      />
      <div className="min-w-0 flex-1">
        <h2 className="text-sm font-semibold">{QUESTION}</h2>
        {explanation.reasons.length === 0 ? (
          <p className="text-sm text-ink-2">Nothing stands in its way: the next worker that asks gets it.</p>
        ) : (
          <ul className="mt-0.5 space-y-0.5 text-sm">
            {explanation.reasons.map((reason) => (
              <li key={reason.code} className="break-words">
                {sentence(reason.text)}
                {reason.until && (
                  <span className="text-ink-2">
                    , <Time at={reason.until} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      {explanation.eta_ms !== undefined && !stuck && (
        <p
          className="nums flex items-center gap-1.5 text-sm whitespace-nowrap text-ink-2"
          title="A guess, from the pace of the last minute"
        >
          <Timer className="size-4" aria-hidden="true" />
          {explanation.eta_ms < 1_000 ? "any moment" : `≈ ${duration(explanation.eta_ms)}`}
        </p>
      )}
    </section>
  );
}
