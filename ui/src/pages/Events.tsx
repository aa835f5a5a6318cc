import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { Activity, Download, Pause, Play, Trash2 } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { LiveEvent } from "@/api/types";
import { Page } from "@/app/Page";
import { EVENT_TYPES } from "@/lib/eventTypes";
import { number, plural, shortId } from "@/lib/format";
import { brief } from "@/lib/json";
import { clock, exact, nsToMs } from "@/lib/time";
import { withEvents } from "@/live/deltas";
import { useLive, useScope } from "@/live/LiveProvider";
import { type Batch, newest } from "@/live/stream";
import { Button } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { sayError } from "@/ui/Toast";

const TONES: Record<string, string> = {
  completed: "text-good",
  approved: "text-good",
  failed: "text-s-retrying",
  dead: "text-bad",
  expired: "text-bad",
  rejected: "text-bad",
  started: "text-s-active",
  progress: "text-s-active",
  held: "text-s-held",
  reclaimed: "text-warn",
};
const KEPT = 10_000;
const ROW = 32;
const REPLAYED = 1_000;

export default function Events() {
  const {
    types = "",
    queue = "",
    after,
  } = useSearch({ strict: false }) as { types?: string; queue?: string; after?: string };
  const navigate = useNavigate();
  const { stream, paused, setPaused } = useLive();
  const [heldHere, setHeldHere] = useState(false);
  const held = heldHere || paused;
  const [events, setEvents] = useState<LiveEvent[]>([]);
  const [missed, setMissed] = useState(0);
  const [lost, setLost] = useState(0);
  const [perSecond, setPerSecond] = useState(0);
  const waiting = useRef<LiveEvent[]>([]);
  const arrivals = useRef<{ at: number; count: number }[]>([]);
  const chosen = useMemo(() => types.split(",").filter(Boolean), [types]);
  const set = (part: Record<string, string | undefined>) =>
    void navigate({
      to: "/events",
      search: { types: types || undefined, queue: queue || undefined, after, ...part },
      replace: true,
    });

  useScope({
    all: true,
    ...(chosen.length ? { types: chosen } : {}),
    ...(queue ? { queues: [queue] } : {}),
    ...(after ? { after: Number(after) } : {}),
  });
  const take = useCallback(
    ({ events: fresh, lost: more }: Batch) => {
      if (more) setLost((before) => before + more);
      if (!fresh.length) return;
      const now = Date.now();
      arrivals.current = [
        ...arrivals.current.filter((each) => now - each.at < 5_000),
        { at: now, count: fresh.length },
      ];
      if (held) {
        waiting.current = withEvents(waiting.current, fresh, KEPT);
        setMissed(waiting.current.length);
      } else setEvents((known) => withEvents(known, fresh, KEPT));
    },
    [held],
  );
  // Also while the page is paused: what comes then waits, and the tail has no hole when it goes on.
  useEffect(() => stream.onBatch(take), [stream, take]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, another tail
  useEffect(() => {
    setEvents([]);
    waiting.current = [];
    setMissed(0);
    setLost(0);
  }, [types, queue, after]);
  useEffect(() => {
    if (held) return;
    const late = waiting.current;
    waiting.current = [];
    setMissed(0);
    setEvents((known) => withEvents(known, late, KEPT));
  }, [held]);
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Date.now();
      arrivals.current = arrivals.current.filter((each) => now - each.at < 5_000);
      setPerSecond(Math.round(arrivals.current.reduce((sum, each) => sum + each.count, 0) / 5));
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const resume = () => {
    setHeldHere(false);
    if (paused) setPaused(false);
  };
  const replay = async () => {
    try {
      set({ after: String(Math.max(0, (await newest()) - REPLAYED)) });
    } catch (error) {
      sayError(error, "Could not replay");
    }
  };

  const host = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured when there is something to measure
  useEffect(
    () => setTop(host.current ? host.current.getBoundingClientRect().top + scrollY : 0),
    [events.length > 0],
  );
  const virtual = useWindowVirtualizer({
    count: events.length,
    estimateSize: () => ROW,
    overscan: 20,
    scrollMargin: top,
  });
  const download = () => {
    const text = [...events]
      .reverse()
      .map((event) => JSON.stringify(event))
      .join("\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
    link.download = "corvo-events.ndjson";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Page
      title="Events"
      description="What happens, as it happens, from the replicated log."
      actions={
        <>
          <Button
            icon={held ? <Play className="size-4" /> : <Pause className="size-4" />}
            look={held ? "primary" : "plain"}
            onClick={held ? resume : () => setHeldHere(true)}
          >
            {held ? `Resume${missed ? ` (${number(missed)} new)` : ""}` : "Pause"}
          </Button>
          <Button onClick={() => void replay()}>Replay last {number(REPLAYED)}</Button>
          <Button
            icon={<Download className="size-4" />}
            aria-label="Download as NDJSON"
            title="Download as NDJSON"
            disabled={!events.length}
            onClick={download}
          />
          <Button
            icon={<Trash2 className="size-4" />}
            aria-label="Clear the list"
            title="Clear the list"
            disabled={!events.length}
            onClick={() => setEvents([])}
          />
        </>
      }
    >
      <Panel flush live>
        <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">
          <input
            key={queue}
            className="field max-w-56"
            aria-label="Only of this queue"
            placeholder="Only of this queue"
            defaultValue={queue}
            onKeyDown={(event) =>
              event.key === "Enter" && set({ queue: event.currentTarget.value.trim() || undefined })
            }
            onBlur={(event) =>
              event.target.value.trim() !== queue && set({ queue: event.target.value.trim() || undefined })
            }
          />
          <select
            className="field w-auto"
            aria-label="Only of this type"
            value={types}
            onChange={(event) => set({ types: event.target.value || undefined })}
          >
            <option value="">All types</option>
            {chosen.length > 1 && <option value={types}>{chosen.length} types</option>}
            {EVENT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          {["failed,dead,reclaimed", "enqueued,completed", "held,approved,rejected"].map((preset) => (
            <Button
              key={preset}
              size="sm"
              look={types === preset ? "primary" : "ghost"}
              onClick={() => set({ types: types === preset ? undefined : preset })}
            >
              {preset.replaceAll(",", " · ")}
            </Button>
          ))}
          <p className="nums ml-auto text-xs text-ink-3" role="status">
            {number(events.length)} shown · {number(perSecond)}/s
            {stream.dropped > 0 ? ` · ${number(stream.dropped)} too fast to show` : ""}
          </p>
        </div>
        {lost > 0 && (
          <p className="border-b border-line bg-warn-soft px-4 py-2 text-xs">
            {plural(lost, "event")} before the newest {lost === 1 ? "is" : "are"} no longer kept by the log.
          </p>
        )}
        {events.length === 0 ? (
          <Empty icon={<Activity />} title={held ? "Paused" : "Listening…"}>
            Events appear here the moment they are agreed on.{" "}
            <button
              type="button"
              className="text-accent underline underline-offset-2"
              onClick={() => void replay()}
            >
              Replay the last thousand
            </button>{" "}
            to see what happened before.
          </Empty>
        ) : (
          <div
            ref={host}
            role="log"
            aria-label="Events"
            aria-live="off"
            className="relative font-mono text-xs"
            style={{ height: virtual.getTotalSize() }}
          >
            {virtual.getVirtualItems().map((item) => {
              const event = events[item.index]!;
              const atMs = nsToMs(event.at_ns);
              return (
                <div
                  key={event.seq}
                  className="absolute inset-x-0 grid grid-cols-[3.75rem_minmax(0,1fr)_6rem] items-center gap-2 sm:gap-3 border-b border-line px-4 hover:bg-hover sm:grid-cols-[5rem_7rem_8rem_9rem_10rem_minmax(0,1fr)]"
                  style={{ transform: `translateY(${item.start - top}px)`, height: ROW }}
                >
                  <span className="nums hidden text-ink-3 sm:block">{event.seq}</span>
                  <time
                    className="nums text-ink-3"
                    title={exact(atMs)}
                    dateTime={new Date(atMs).toISOString()}
                  >
                    {clock(atMs).slice(0, 8)}
                    <span className="max-sm:hidden">{clock(atMs).slice(8)}</span>
                  </time>
                  <span className={clsx("truncate font-medium", TONES[event.type] ?? "text-ink")}>
                    {event.type}
                  </span>
                  <span className="hidden truncate sm:block">
                    {event.queue && (
                      <Link to="/queues/$name" params={{ name: event.queue }} className="link text-ink-2">
                        {event.queue}
                      </Link>
                    )}
                  </span>
                  <span className="truncate">
                    {event.job_id && (
                      <Link to="/jobs/$id" params={{ id: event.job_id }} className="link">
                        {shortId(event.job_id)}
                      </Link>
                    )}
                  </span>
                  <span className="hidden truncate text-ink-3 sm:block">
                    {event.data === undefined ? "" : brief(event.data, 200)}
                  </span>
                </div>
              );
            })}
          </div>
        )}
      </Panel>
    </Page>
  );
}
