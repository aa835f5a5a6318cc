// Ties the stream to the query cache: counters are patched in, gaps lead to one reading anew.
import { type Query, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { beat, keys } from "@/api/queries";
import type { LiveEvent, Queue } from "@/api/types";
import { mergeQueue, withCounters } from "./deltas";
import { type Batch, LiveStream, type Scope, type Status } from "./stream";

interface Live {
  stream: LiveStream;
  paused: boolean;
  setPaused(paused: boolean): void;
}

/** What the stream keeps up to date. */
const FOLLOWED = new Set(["queues", "queue", "job", "history", "explain"]);

/** A list that was scrolled far is not read anew as a whole: its rows are followed one by one. */
const isLongList = (query: Query): boolean =>
  query.queryKey[0] === "search" &&
  ((query.state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > 1;
const ANEW = { predicate: (query: Query) => !isLongList(query) };

const Context = createContext<Live | null>(null);

export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [stream] = useState(() => new LiveStream());
  const [paused, setPausedState] = useState(false);

  useEffect(() => {
    stream.start();
    return () => stream.stop();
  }, [stream]);

  useEffect(
    () =>
      // What was read before the stream was open may have changed before anybody listened.
      stream.onOpen((atMs) =>
        client.invalidateQueries({
          predicate: (query) => FOLLOWED.has(String(query.queryKey[0])) && query.state.dataUpdatedAt < atMs,
        }),
      ),
    [client, stream],
  );

  useEffect(() => {
    if (paused) return;
    return stream.onBatch((batch: Batch) => {
      if (batch.gap) {
        client.invalidateQueries(ANEW);
        return;
      }
      if (batch.queues.size) {
        client.setQueryData<Queue[]>(keys.queues, (known) => withCounters(known, batch.queues));
        for (const queue of batch.queues.values())
          client.setQueryData<Queue>(keys.queue(queue.name), (known) => known && mergeQueue(known, queue));
      }
      if (batch.events.some((event) => event.type.startsWith("queue."))) {
        client.invalidateQueries({ queryKey: keys.queues });
        client.invalidateQueries({ queryKey: ["queue"] });
      }
    });
  }, [client, stream, paused]);

  const live = useMemo<Live>(
    () => ({
      stream,
      paused,
      setPaused(next) {
        beat.paused = next;
        setPausedState(next);
        if (!next) client.invalidateQueries(ANEW);
      },
    }),
    [stream, paused, client],
  );
  return <Context.Provider value={live}>{children}</Context.Provider>;
}

export function useLive(): Live {
  const live = useContext(Context);
  if (!live) throw new Error("no live stream here");
  return live;
}

export function useStatus(): Status {
  const { stream } = useLive();
  return useSyncExternalStore(stream.observe, () => stream.status);
}

/** Tell the server what this page shows; undone when the page is left. */
export function useScope(scope: Scope): void {
  const { stream } = useLive();
  const key = JSON.stringify(scope);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the scope
  useEffect(() => {
    stream.setScope(scope);
  }, [stream, key]);
  useEffect(() => () => stream.setScope({}), [stream]);
}

/** Be told of events, in batches, unless the page is paused. */
export function useEvents(handle: (events: LiveEvent[], batch: Batch) => void): void {
  const { stream, paused } = useLive();
  useEffect(() => {
    if (paused) return;
    return stream.onBatch((batch) => handle(batch.events, batch));
  }, [stream, paused, handle]);
}
