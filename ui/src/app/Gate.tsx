// The gate: behind it is the page, before it the login, if the node wants to know who somebody is.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useStanding } from "./who";
import { whoQuery } from "./whoQuery";

/** Most who open the page are in already. */
const Login = lazy(() => import("@/pages/Login").then(({ Login }) => ({ default: Login })));

/** Says nothing of anybody, and the login needs it. */
const FOR_ALL = new Set(["who", "auth-status"]);

export function Gate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const standing = useStanding();
  const asked = useQuery(whoQuery);
  const before = useRef(standing);
  useEffect(() => {
    // Whoever comes next must not see what the one before has seen.
    if (before.current === "in" && standing === "out")
      client.removeQueries({ predicate: (query) => !FOR_ALL.has(String(query.queryKey[0])) });
    before.current = standing;
  }, [client, standing]);
  if (standing === "out")
    return (
      <Suspense fallback={null}>
        <Login />
      </Suspense>
    );
  // A node that does not answer is told of by the page itself.
  if (standing === "unknown" && asked.isPending) return null;
  return children;
}
