import { call } from "@/api/client";
import { known, type Who } from "./who";

/** Asks the server who this is, and tells the page. */
export const whoQuery = {
  queryKey: ["who"],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const who = await call<Who>("/auth/whoami", { signal });
    known(who);
    return who;
  },
  // A role may change while somebody is here.
  refetchInterval: 60_000,
};
