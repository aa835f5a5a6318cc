import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { Webhook } from "@/api/types";
import { EVENT_TYPES } from "@/lib/eventTypes";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";
import { said, sayError } from "@/ui/Toast";

export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose(): void }) {
  const client = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? "https://");
  const [types, setTypes] = useState<string[]>(
    webhook ? webhook.events.filter((type) => type !== "*") : ["dead"],
  );
  const [secret, setSecret] = useState("");
  const [attempts, setAttempts] = useState(String(webhook?.retry_limit ?? 3));
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await call("/webhooks", {
        method: "POST",
        body: {
          ...(webhook ? { id: webhook.id } : {}),
          url: url.trim(),
          events: types.length ? types : ["*"],
          retry_limit: Number(attempts) || 3,
          ...(secret ? { secret } : {}),
        },
      });
      said("Webhook saved");
      await client.invalidateQueries({ queryKey: ["webhooks"] });
      onClose();
    } catch (error) {
      sayError(error, "Could not save");
    }
    setBusy(false);
  };
  const toggle = (type: string) =>
    setTypes(types.includes(type) ? types.filter((each) => each !== type) : [...types, type]);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={webhook ? "Edit webhook" : "New webhook"}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} disabled={!/^https?:\/\/./.test(url.trim())} onClick={save}>
            Save webhook
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Address"
          hint="Any 2xx within ten seconds counts as delivered."
          type="url"
          value={url}
          onChange={setUrl}
          look="font-mono text-xs"
        />
        <fieldset>
          <legend className="mb-1 text-xs font-medium text-ink-2">Events (none chosen means all)</legend>
          <div className="grid grid-cols-2 gap-1.5 sm:grid-cols-4">
            {EVENT_TYPES.map((type) => (
              <label key={type} className="flex cursor-pointer items-center gap-1.5 text-xs">
                <input type="checkbox" checked={types.includes(type)} onChange={() => toggle(type)} />
                {type}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Secret"
            hint={webhook?.has_secret ? "Empty: stays as it is." : "Signs every delivery; never shown again."}
            type="password"
            autoComplete="new-password"
            value={secret}
            onChange={setSecret}
          />
          <TextField
            label="Attempts per event"
            inputMode="numeric"
            value={attempts}
            onChange={(text) => setAttempts(text.replace(/\D/g, ""))}
          />
        </div>
      </div>
    </Dialog>
  );
}
