import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { Namespace } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";
import { said, sayError } from "@/ui/Toast";

/** Every quota there is, and what counts against it. */
export const QUOTAS = [
  { name: "max_queues", label: "Queues", used: "queues" },
  { name: "max_jobs", label: "Jobs held", used: "jobs" },
  { name: "max_payload_bytes", label: "Bytes of payloads", used: "payload_bytes" },
  { name: "read_rps", label: "Reads a second", used: "" },
  { name: "read_burst", label: "Reads at once", used: "" },
  { name: "write_rps", label: "Writes a second", used: "" },
  { name: "write_burst", label: "Writes at once", used: "" },
  { name: "max_streams", label: "Streams", used: "streams" },
  { name: "max_waiting_fetches", label: "Fetches that wait", used: "waiting_fetches" },
] as const;

export function QuotasDialog({ of, onClose }: { of: Namespace; onClose(): void }) {
  const client = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>(() => {
    const set: Record<string, number | null | undefined> = { ...of.quotas };
    return Object.fromEntries(QUOTAS.map(({ name }) => [name, set[name] == null ? "" : String(set[name])]));
  });
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const body = Object.fromEntries(
        QUOTAS.map(({ name }) => [name, values[name] ? Number(values[name]) : null]),
      );
      await call(`/namespaces/${encodeURIComponent(of.name)}/quotas`, { method: "PUT", body });
      said(`Quotas of ${of.name} changed`);
      await client.invalidateQueries({ queryKey: ["namespaces"] });
      onClose();
    } catch (error) {
      sayError(error, "Could not save");
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Quotas of ${of.name}`}
      description="Empty means no limit of its own."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} onClick={() => void save()}>
            Save quotas
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {QUOTAS.map(({ name, label }) => (
          <TextField
            key={name}
            label={label}
            inputMode="numeric"
            value={values[name] ?? ""}
            onChange={(text) => setValues({ ...values, [name]: text.replace(/\D/g, "") })}
          />
        ))}
      </div>
    </Dialog>
  );
}
