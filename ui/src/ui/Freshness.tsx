// How old what you see is. Honest: grey as soon as nobody vouches for it any more.
import clsx from "clsx";
import { duration } from "@/lib/time";
import { useLocalNow } from "@/lib/useNow";
import { useLive, useStatus } from "@/live/LiveProvider";

export function Freshness({ updatedAt, live }: { updatedAt?: number | undefined; live: boolean }) {
  const status = useStatus();
  const { stream, paused } = useLive();
  const now = useLocalNow(1_000);
  const since =
    live && status === "open" && !paused ? now : Math.max(updatedAt ?? 0, live ? stream.aliveAt : 0);
  const age = since ? Math.max(0, now - since) : 0;
  const fresh = status === "open" && !paused && age < 20_000;
  const text =
    paused || status === "resting"
      ? "paused"
      : fresh && (live || age < 3_000)
        ? "live"
        : `${duration(Math.floor(age / 1000) * 1000 || 1000)} old`;
  return (
    <span
      className={clsx("inline-flex items-center gap-1.5 text-2xs", fresh ? "text-ink-3" : "text-warn")}
      title={live ? "Fed by the event stream" : "Asked for on a beat"}
    >
      <span className={clsx("size-1.5 rounded-full", fresh ? "bg-good" : "bg-ink-3")} />
      {text}
    </span>
  );
}
