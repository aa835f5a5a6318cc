import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Gauge, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { namespacesQuery } from "@/api/queries";
import type { Namespace } from "@/api/types";
import { Page } from "@/app/Page";
import { number } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Failure, Skeleton } from "@/ui/Empty";
import { Progress } from "@/ui/Progress";
import { Time } from "@/ui/Time";
import { said } from "@/ui/Toast";
import { NamespaceDialog } from "./NamespaceDialog";
import { QUOTAS, QuotasDialog } from "./QuotasDialog";
import { Sure } from "./Sure";

type Asking = { kind: "quotas" | "delete"; namespace: Namespace } | { kind: "new" } | null;

export default function Namespaces() {
  const found = useQuery(namespacesQuery);
  const client = useQueryClient();
  const [asking, setAsking] = useState<Asking>(null);
  return (
    <Page
      title="Namespaces"
      description="Teams that share this server and see nothing of each other. Quotas keep one from crowding the others out."
      actions={
        <Button
          needs="namespaces:write"
          look="primary"
          icon={<Plus className="size-4" />}
          onClick={() => setAsking({ kind: "new" })}
        >
          New namespace
        </Button>
      }
    >
      {found.isPending ? (
        <Skeleton rows={6} />
      ) : !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <ul className="grid gap-3 xl:grid-cols-2">
          {found.data.map((namespace) => (
            <li key={namespace.name} className="panel p-4">
              <div className="flex items-start gap-2">
                <div className="min-w-0 flex-1">
                  <h2 className="text-base font-medium">{namespace.name}</h2>
                  <p className="text-xs text-ink-3">
                    {namespace.deleting ? (
                      <Link to="/operations/$id" params={{ id: namespace.deleting }} className="link">
                        being deleted
                      </Link>
                    ) : (
                      <>
                        since <Time at={namespace.created_at} />
                      </>
                    )}
                  </p>
                </div>
                <Button
                  needs="namespaces:write"
                  size="sm"
                  icon={<Gauge className="size-3.5" />}
                  onClick={() => setAsking({ kind: "quotas", namespace })}
                >
                  Quotas
                </Button>
                {namespace.name !== "default" && (
                  <Button
                    needs="namespaces:write"
                    size="sm"
                    look="ghost"
                    aria-label={`Delete ${namespace.name}`}
                    icon={<Trash2 className="size-3.5" />}
                    onClick={() => setAsking({ kind: "delete", namespace })}
                  />
                )}
              </div>
              <Usage namespace={namespace} />
            </li>
          ))}
        </ul>
      )}
      {asking?.kind === "new" && <NamespaceDialog onClose={() => setAsking(null)} />}
      {asking?.kind === "quotas" && <QuotasDialog of={asking.namespace} onClose={() => setAsking(null)} />}
      {asking?.kind === "delete" && (
        <Sure
          title={`Delete the namespace ${asking.namespace.name}`}
          description={
            isEmpty(asking.namespace)
              ? "It is empty. Its quotas are forgotten."
              : "Everything in it is deleted with it: queues, jobs, schedules, webhooks and keys. This cannot be undone."
          }
          verb="Delete namespace"
          {...(isEmpty(asking.namespace) ? {} : { typed: asking.namespace.name })}
          onClose={() => setAsking(null)}
          run={async () => {
            const force = isEmpty(asking.namespace) ? "" : "?force=true";
            await call(`/namespaces/${encodeURIComponent(asking.namespace.name)}${force}`, {
              method: "DELETE",
            });
            said(force ? `${asking.namespace.name} is being emptied` : `${asking.namespace.name} deleted`);
            await client.invalidateQueries({ queryKey: ["namespaces"] });
          }}
        />
      )}
    </Page>
  );
}

const isEmpty = ({ used }: Namespace): boolean => used.queues === 0 && used.jobs === 0;

/** How much of each quota is used; a figure alone where there is none. */
function Usage({ namespace }: { namespace: Namespace }) {
  const used: Record<string, number | undefined> = { ...namespace.used };
  const quotas: Record<string, number | null | undefined> = { ...namespace.quotas };
  const rows = QUOTAS.filter((quota) => used[quota.used] !== undefined || quotas[quota.name] != null);
  if (!rows.length) return <p className="mt-3 text-sm text-ink-3">No quotas.</p>;
  return (
    <dl className="mt-3 grid gap-x-6 gap-y-2 text-sm sm:grid-cols-2">
      {rows.map((quota) => {
        const most = quotas[quota.name];
        const has = used[quota.used];
        const words = [has === undefined ? "" : number(has), most == null ? "" : `${number(most)} at most`];
        return (
          <div key={quota.name}>
            <dt className="text-xs text-ink-3">{quota.label}</dt>
            <dd className="nums">{words.filter(Boolean).join(" of ")}</dd>
            {most != null && has !== undefined && most > 0 && (
              <Progress
                value={Math.min(has, most)}
                max={most}
                label={`${quota.label} used by ${namespace.name}`}
                tone={has >= most ? "bad" : "accent"}
              />
            )}
          </div>
        );
      })}
    </dl>
  );
}
