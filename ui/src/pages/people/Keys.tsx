import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Ban, Check, Ellipsis, KeyRound, Pencil, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { keysQuery } from "@/api/queries";
import type { Key, KeyMade } from "@/api/types";
import { Page } from "@/app/Page";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Panel } from "@/ui/Panel";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";
import { KeyDialog } from "./KeyDialog";
import { RotateDialog } from "./RotateDialog";
import { SecretDialog } from "./SecretDialog";
import { Sure } from "./Sure";

type Asking = { kind: "edit" | "rotate" | "delete"; key: Key } | { kind: "new" } | null;

const HEAD = [
  { name: "Name" },
  { name: "Role" },
  { name: "Namespace" },
  { name: "Queues", className: "@max-3xl:hidden" },
  { name: "Last used" },
  { name: "Expires", className: "@max-2xl:hidden" },
  { name: "Actions", silent: true },
];

export default function Keys() {
  const keys = useQuery(keysQuery);
  const client = useQueryClient();
  const [asking, setAsking] = useState<Asking>(null);
  const [made, setMade] = useState<{ name: string; secret: KeyMade } | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ["keys"] });
  const enable = async (key: Key, enabled: boolean) => {
    try {
      await call("/auth/keys", { method: "POST", body: { id: key.id, enabled } });
      said(enabled ? `${key.name} counts again` : `${key.name} no longer counts, on any node`);
    } catch (error) {
      sayError(error, "Could not change it");
    }
    await refresh();
  };
  return (
    <Page
      title="Keys"
      description="What programs and people show to come in. A key's secret is shown once, when it is made."
      actions={
        <Button
          needs="keys:write"
          look="primary"
          icon={<Plus className="size-4" />}
          onClick={() => setAsking({ kind: "new" })}
        >
          New key
        </Button>
      }
    >
      <Panel flush updatedAt={keys.dataUpdatedAt}>
        {keys.isPending ? (
          <Skeleton rows={6} />
        ) : !keys.data ? (
          <Failure error={keys.error} retry={() => void keys.refetch()} />
        ) : keys.data.length === 0 ? (
          <Empty icon={<KeyRound />} title="No keys">
            Everybody who reaches this server may do everything. The first key shuts it: give it the role
            admin and the namespace *.
          </Empty>
        ) : (
          <Table head={HEAD}>
            {keys.data.map((key) => (
              <tr key={key.id}>
                <td>
                  <span className="block font-medium">{key.name}</span>
                  <span className="block font-mono text-2xs text-ink-3">
                    {key.key_hash.slice(0, 12)}
                    {key.enabled ? "" : " · disabled"}
                    {key.former_until ? " · being rotated" : ""}
                  </span>
                </td>
                <td>{[key.role, ...(key.roles ?? [])].join(", ")}</td>
                <td>{key.namespace}</td>
                <td className="@max-3xl:hidden">{key.queue_scope || "all"}</td>
                <td>{key.last_used_at ? <Time at={key.last_used_at} /> : "never"}</td>
                <td className="@max-2xl:hidden">{key.expires_at ? <Time at={key.expires_at} /> : "never"}</td>
                <td className="w-10">
                  <Menu
                    trigger={
                      <Button
                        needs="keys:write"
                        size="sm"
                        look="ghost"
                        aria-label={`More about ${key.name}`}
                        icon={<Ellipsis className="size-4" />}
                      />
                    }
                  >
                    <MenuItem icon={<Pencil />} onSelect={() => setAsking({ kind: "edit", key })}>
                      Edit…
                    </MenuItem>
                    <MenuItem icon={<RefreshCw />} onSelect={() => setAsking({ kind: "rotate", key })}>
                      Rotate…
                    </MenuItem>
                    {key.enabled ? (
                      <MenuItem icon={<Ban />} onSelect={() => void enable(key, false)}>
                        Disable
                      </MenuItem>
                    ) : (
                      <MenuItem icon={<Check />} onSelect={() => void enable(key, true)}>
                        Enable
                      </MenuItem>
                    )}
                    <MenuLine />
                    <MenuItem danger icon={<Trash2 />} onSelect={() => setAsking({ kind: "delete", key })}>
                      Delete…
                    </MenuItem>
                  </Menu>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
      {(asking?.kind === "new" || asking?.kind === "edit") && (
        <KeyDialog
          of={asking.kind === "edit" ? asking.key : null}
          first={keys.data?.length === 0}
          onClose={() => setAsking(null)}
          onMade={(name, secret) => setMade({ name, secret })}
        />
      )}
      {asking?.kind === "rotate" && (
        <RotateDialog
          of={asking.key}
          onClose={() => setAsking(null)}
          onMade={(secret) => setMade({ name: asking.key.name, secret })}
        />
      )}
      {asking?.kind === "delete" && (
        <Sure
          title={`Delete the key ${asking.key.name}`}
          description="It counts no longer, on any node, and sessions that were begun with it end. This cannot be undone."
          verb="Delete key"
          onClose={() => setAsking(null)}
          run={async () => {
            await call(`/auth/keys/${encodeURIComponent(asking.key.id)}`, { method: "DELETE" });
            said(`${asking.key.name} deleted`);
            await refresh();
          }}
        />
      )}
      {made && <SecretDialog name={made.name} made={made.secret} onClose={() => setMade(null)} />}
    </Page>
  );
}
