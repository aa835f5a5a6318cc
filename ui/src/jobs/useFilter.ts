import { useCallback, useMemo, useState } from "react";
import { ApiError } from "@/api/client";
import type { Filter } from "@/api/types";
import { serverTime } from "@/lib/clock";
import { parse, QueryRefused } from "@/query/parse";

/**
 * The filter a query means. Times in it are fixed when it is read, so a page is of one moment; `again` reads it
 * as of now, and says whether that makes a difference.
 */
export function useFilter(q: string): { filter: Filter; refusal: ApiError | null; again(): boolean } {
  const first = useMemo(() => {
    try {
      return { filter: parse(q, serverTime(Date.now())), refusal: null };
    } catch (error) {
      if (!(error instanceof QueryRefused)) throw error;
      return {
        filter: {},
        refusal: new ApiError(
          400,
          "QUERY",
          `The query cannot be read: ${error.message}`,
          "Correct it in the bar above.",
        ),
      };
    }
  }, [q]);
  const [later, setLater] = useState<{ q: string; filter: Filter } | null>(null);
  const filter = later?.q === q ? later.filter : first.filter;
  const { refusal } = first;
  const again = useCallback(() => {
    if (refusal) return false;
    const now = parse(q, serverTime(Date.now()));
    if (JSON.stringify(now) === JSON.stringify(filter)) return false;
    setLater({ q, filter: now });
    return true;
  }, [q, filter, refusal]);
  return { filter, refusal, again };
}
