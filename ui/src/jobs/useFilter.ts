import { useMemo } from "react";
import { ApiError } from "@/api/client";
import type { Filter } from "@/api/types";
import { parse, QueryRefused } from "@/query/parse";

/** The filter a query means. Times in it are fixed when it is read, so a page is of one moment. */
export function useFilter(q: string): { filter: Filter; refusal: ApiError | null } {
  return useMemo(() => {
    try {
      return { filter: parse(q, Date.now()), refusal: null };
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
}
