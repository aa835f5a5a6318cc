import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { keys } from "@/api/queries";
import type { History, LiveEvent } from "@/api/types";
import { useEvents, useScope } from "@/live/LiveProvider";
import type { Batch } from "@/live/stream";

/** Events of a busy job come by the hundred; the document is read again at most this often. */
const REREAD_MS = 1_000;

/** Events of this job go into its history at once; its document is read again, not too often. */
export function useFollowJob(id: string, queue: string | undefined): void {
  const client = useQueryClient();
  useScope({ jobIds: [id] });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const asking = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(asking.current);
    },
    [],
  );
  useEvents(
    useCallback(
      (events: LiveEvent[], batch: Batch) => {
        // Whatever moves its queue may change why it waits.
        if (queue !== undefined && batch.queues.has(queue))
          asking.current ??= setTimeout(() => {
            asking.current = undefined;
            void client.invalidateQueries({ queryKey: keys.explain(id) });
          }, REREAD_MS);
        const own = events.filter((event) => event.job_id === id);
        if (!own.length) return;
        client.setQueryData<History>(keys.history(id), (known) => {
          if (!known) return known;
          const last = known.events.at(-1)?.seq ?? 0;
          return { ...known, events: [...known.events, ...own.filter((event) => event.seq > last)] };
        });
        timer.current ??= setTimeout(
          () => {
            timer.current = undefined;
            void client.invalidateQueries({ queryKey: keys.job(id) });
            void client.invalidateQueries({ queryKey: keys.explain(id) });
          },
          own.length > 1 ? REREAD_MS : 50,
        );
      },
      [client, id, queue],
    ),
  );
}
