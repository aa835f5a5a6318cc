// What everybody should know before they trust the page.
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "@/api/client";
import { clusterQuery, healthQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { plural } from "@/lib/format";
import { useStatus } from "@/live/LiveProvider";

export function Banner() {
  const status = useStatus();
  const health = useQuery(healthQuery);
  const { data: cluster } = useQuery(clusterQuery);
  const trouble = troubleOf(status === "broken", health.error, cluster);
  if (!trouble) return null;
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 border-b border-warn/30 bg-warn-soft px-4 py-2 text-sm sm:px-6"
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden="true" />
      <p className="text-pretty">{trouble}</p>
    </div>
  );
}

function troubleOf(broken: boolean, error: Error | null, cluster: Cluster | undefined): ReactNode {
  if (broken && error instanceof ApiError && error.status === 0)
    return (
      <>
        <b className="font-medium">The node does not answer.</b> What you see is as old as each panel says.
        The page tries again by itself.
      </>
    );
  if (error instanceof ApiError && error.status === 503)
    return (
      <>
        <b className="font-medium">The node is not well:</b> {error.message}. {error.hint}
      </>
    );
  if (cluster && !cluster.leader_id)
    return (
      <>
        <b className="font-medium">The cluster has no leader.</b> Reads work; writes wait until a new one is
        elected.
      </>
    );
  const lost = cluster?.nodes.filter((node) => node.connected === false) ?? [];
  if (lost.length)
    return (
      <>
        <b className="font-medium">
          {plural(lost.length, "node")} cannot be reached: {lost.map((node) => node.id).join(", ")}.
        </b>{" "}
        {cluster?.status === "healthy"
          ? "The others have a quorum and go on."
          : "There is no quorum; writes wait."}
      </>
    );
  if (cluster && cluster.status !== "healthy")
    return (
      <>
        <b className="font-medium">The cluster is degraded.</b> Writes may wait or be refused.
      </>
    );
  if (broken)
    return (
      <>
        <b className="font-medium">Live updates are interrupted.</b> Panels show their age; the stream resumes
        where it stopped.
      </>
    );
  return null;
}
