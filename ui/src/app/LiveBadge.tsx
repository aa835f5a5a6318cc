import clsx from "clsx";
import { Pause, Play } from "lucide-react";
import { duration } from "@/lib/time";
import { useLocalNow } from "@/lib/useNow";
import { useLive, useStatus } from "@/live/LiveProvider";
import { Button } from "@/ui/Button";

/** Whether what you see is what is, and a button to hold it still while you read. */
export function LiveBadge() {
  const { paused, setPaused, stream } = useLive();
  const status = useStatus();
  const now = useLocalNow(1_000);
  const text = paused
    ? "Paused"
    : status === "resting"
      ? "Paused while hidden"
      : status === "open"
        ? "Live"
        : status === "connecting"
          ? "Connecting"
          : `Interrupted ${duration(Math.max(1_000, now - (stream.brokenAt ?? now)))}`;
  return (
    <div className="flex items-center rounded-[7px] border border-line">
      <span className="flex items-center gap-1.5 px-2.5 text-xs text-ink-2" role="status" aria-live="polite">
        <span
          className={clsx(
            "size-2 rounded-full",
            paused
              ? "bg-warn"
              : status === "open"
                ? "animate-beat bg-good"
                : status === "broken"
                  ? "bg-bad"
                  : "bg-ink-3",
          )}
          aria-hidden="true"
        />
        <span className="max-sm:sr-only">{text}</span>
      </span>
      <Button
        look="ghost"
        size="sm"
        className="rounded-l-none border-l border-l-line"
        aria-label={paused ? "Resume live updates" : "Pause live updates"}
        title={paused ? "Resume live updates" : "Hold the page still while you read"}
        icon={paused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
        onClick={() => setPaused(!paused)}
      />
    </div>
  );
}
