import { useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { Ellipsis, KeyRound, Pencil, Plus, Send, Trash2, Waypoints } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { every, webhooksQuery } from "@/api/queries";
import type { Delivery, Sent, Webhook } from "@/api/types";
import { Page } from "@/app/Page";
import { useMay } from "@/app/who";
import { number } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";
import { WebhookDialog } from "./parts/WebhookDialog";

export default function Webhooks() {
  const webhooks = useQuery(webhooksQuery);
  const [editing, setEditing] = useState<Webhook | "new" | null>(null);
  return (
    <Page
      title="Webhooks"
      description="Addresses that are told what happens: in order, at least once, signed."
      actions={
        <Button
          needs="webhooks:write"
          look="primary"
          icon={<Plus className="size-4" />}
          onClick={() => setEditing("new")}
        >
          New webhook
        </Button>
      }
    >
      {webhooks.isPending ? (
        <Skeleton rows={6} />
      ) : webhooks.isError && !webhooks.data ? (
        <Failure error={webhooks.error} retry={() => void webhooks.refetch()} />
      ) : webhooks.data?.length === 0 ? (
        <Panel>
          <Empty
            icon={<Waypoints />}
            title="No webhooks"
            action={
              <Button needs="webhooks:write" onClick={() => setEditing("new")}>
                Make the first
              </Button>
            }
          >
            A webhook posts events to an address of yours, for example every job that goes dead.
          </Empty>
        </Panel>
      ) : (
        <ul className="grid gap-3">
          {webhooks.data?.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} onEdit={() => setEditing(webhook)} />
          ))}
        </ul>
      )}
      {editing && (
        <WebhookDialog webhook={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Page>
  );
}

function WebhookCard({ webhook, onEdit }: { webhook: Webhook; onEdit(): void }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState(false);
  const target = `/webhooks/${encodeURIComponent(webhook.id)}`;
  const run = async (doing: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      sayError(error, doing);
    }
    await client.invalidateQueries({ queryKey: ["webhooks"] });
  };
  const ping = async () => {
    setBusy(true);
    await run("Could not send", async () => {
      const sent = await call<Sent>(`${target}/test`, { method: "POST" });
      if (sent.delivered) said(`Delivered in ${sent.took_ms} ms, answered ${sent.status_code}`);
      else throw new Error(sent.error ?? `answered ${sent.status_code}`);
    });
    setBusy(false);
  };
  const failing = webhook.failing_since !== undefined;
  const mayWrite = useMay("webhooks:write");
  return (
    <li className="panel">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="flex items-center gap-2 text-sm font-medium">
            <span
              className={clsx(
                "size-2 shrink-0 rounded-full",
                !webhook.enabled ? "border border-ink-3" : failing ? "bg-bad" : "bg-good",
              )}
              aria-hidden="true"
            />
            <span className="font-mono break-all">{webhook.url}</span>
          </h2>
          <p className="mt-1.5 flex flex-wrap items-center gap-1.5 text-xs text-ink-2">
            {webhook.events.map((type) => (
              <span key={type} className="rounded bg-sunken px-1.5 py-px">
                {type === "*" ? "all events" : type}
              </span>
            ))}
            {webhook.has_secret && (
              <span className="inline-flex items-center gap-1 text-ink-3">
                <KeyRound className="size-3" aria-hidden="true" /> signed
              </span>
            )}
          </p>
          {(webhook.disabled_reason || (failing && webhook.last_error)) && (
            <p className="mt-1.5 text-xs break-words text-bad">
              {webhook.disabled_reason ?? webhook.last_error}
              {failing && (
                <>
                  {" "}
                  since <Time at={webhook.failing_since} />
                </>
              )}
            </p>
          )}
        </div>
        <dl className="nums flex gap-6 text-sm">
          <div>
            <dt className="text-xs text-ink-3">Delivered</dt>
            <dd>{number(webhook.delivered_total)}</dd>
          </div>
          <div>
            <dt className="text-xs text-ink-3">Given up</dt>
            <dd className={webhook.failed_total ? "text-bad" : ""}>{number(webhook.failed_total)}</dd>
          </div>
          <div>
            <dt className="text-xs text-ink-3">Last</dt>
            <dd>
              <Time at={webhook.last_delivery_at} />
            </dd>
          </div>
        </dl>
        <div className="flex items-center gap-1.5">
          <input
            type="checkbox"
            role="switch"
            disabled={!mayWrite}
            checked={webhook.enabled}
            aria-label={`Enable ${webhook.url}`}
            onChange={(event) => {
              const verb = event.target.checked ? "enable" : "disable";
              void run("Could not change it", async () => {
                await call(`${target}/${verb}`, { method: "POST", body: {} });
                said(
                  verb === "enable"
                    ? "It goes on where it stopped"
                    : "It is switched off; events wait for it",
                );
              });
            }}
          />
          <Button
            needs="webhooks:write"
            size="sm"
            icon={<Send className="size-3.5" />}
            busy={busy}
            onClick={ping}
          >
            Send a ping
          </Button>
          <Button size="sm" look="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
            Deliveries
          </Button>
          <Menu
            trigger={
              <Button
                needs="webhooks:write"
                size="sm"
                look="ghost"
                aria-label={`More about ${webhook.url}`}
                icon={<Ellipsis className="size-4" />}
              />
            }
          >
            <MenuItem icon={<Pencil />} onSelect={onEdit}>
              Edit…
            </MenuItem>
            <MenuLine />
            <MenuItem danger icon={<Trash2 />} onSelect={() => setDeleting(true)}>
              Delete…
            </MenuItem>
          </Menu>
        </div>
      </div>
      {open && <Deliveries target={target} />}
      <Dialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete this webhook"
        description={`${webhook.url} hears of nothing any more, and its place in the log is forgotten. This cannot be undone.`}
        footer={
          <>
            <Button onClick={() => setDeleting(false)}>Back</Button>
            <Button
              look="danger"
              onClick={() =>
                void run("Could not delete it", async () => {
                  await call(target, { method: "DELETE" });
                  said("Webhook deleted");
                })
              }
            >
              Delete webhook
            </Button>
          </>
        }
      />
    </li>
  );
}

function Deliveries({ target }: { target: string }) {
  const client = useQueryClient();
  const found = useQuery({
    queryKey: ["deliveries", target],
    queryFn: ({ signal }) => call<{ deliveries: Delivery[] }>(`${target}/deliveries`, { signal }),
    refetchInterval: every(3_000),
  });
  const again = async (seq: number) => {
    try {
      await call(`${target}/redeliver`, { method: "POST", body: { seq } });
      said(`Event ${seq} delivered again`);
    } catch (error) {
      sayError(error, "Could not deliver");
    }
    await client.invalidateQueries({ queryKey: ["deliveries", target] });
  };
  if (found.isPending) return <Skeleton rows={3} />;
  if (!found.data) return <Failure error={found.error} />;
  const latest = [...found.data.deliveries].reverse();
  return (
    <ul className="divide-y divide-line border-t border-line">
      {latest.length === 0 && <li className="px-4 py-3 text-sm text-ink-3">Nothing was sent yet.</li>}
      {latest.map((delivery) => (
        <li
          key={`${delivery.seq}-${delivery.at}`}
          className="flex flex-wrap items-center gap-x-4 px-4 py-1.5 text-xs"
        >
          <span className="nums w-16 text-ink-3">{delivery.seq}</span>
          <span className="w-32 font-medium">{delivery.type}</span>
          <span className={clsx("min-w-0 flex-1 truncate", delivery.delivered ? "text-good" : "text-bad")}>
            {delivery.delivered
              ? `delivered, ${delivery.status_code}`
              : (delivery.error ?? `answered ${delivery.status_code}`)}
            {delivery.attempts > 1 ? ` after ${delivery.attempts} attempts` : ""}
          </span>
          <span className="nums text-ink-3">{delivery.took_ms} ms</span>
          <Time at={delivery.at} className="nums text-ink-3" />
          {!delivery.delivered && delivery.seq > 0 && (
            <Button needs="webhooks:write" size="sm" look="ghost" onClick={() => void again(delivery.seq)}>
              Deliver again
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
