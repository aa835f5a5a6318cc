import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { rolesQuery } from "@/api/queries";
import type { Key, KeyMade } from "@/api/types";
import { useMay, useWho } from "@/app/who";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField, TextField } from "@/ui/fields";
import { said, sayError } from "@/ui/Toast";

/** Always there; others are made by admins, who may list them. */
const BUILT_IN = ["readonly", "producer", "worker", "operator", "admin"];
const LIVES = [
  ["", "never"],
  ["7", "in a week"],
  ["30", "in thirty days"],
  ["90", "in ninety days"],
  ["365", "in a year"],
] as const;
const DAY_MS = 86_400_000;

interface Props {
  of: Key | null;
  /** The first key shuts the server, so it has to be an admin's. */
  first: boolean;
  onClose(): void;
  onMade(name: string, made: KeyMade): void;
}

export function KeyDialog({ of, first, onClose, onMade }: Props) {
  const client = useQueryClient();
  const who = useWho();
  const { data: roles } = useQuery({ ...rolesQuery, enabled: useMay("roles:read") });
  const everywhere = who === null || who.namespace === "*";
  const [name, setName] = useState(of?.name ?? "");
  const [role, setRole] = useState(of?.role ?? (first ? "admin" : "worker"));
  const [namespace, setNamespace] = useState(
    of?.namespace ?? (first ? "*" : everywhere ? "default" : who.namespace),
  );
  const [scope, setScope] = useState(of?.queue_scope ?? "");
  const [life, setLife] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const made = await call<KeyMade>("/auth/keys", {
        method: "POST",
        body: {
          ...(of ? { id: of.id } : {}),
          name: name.trim(),
          role,
          namespace: namespace.trim(),
          ...(scope.trim() || of ? { queue_scope: scope.trim() } : {}),
          ...(life ? { expires_at: new Date(Date.now() + Number(life) * DAY_MS).toISOString() } : {}),
        },
      });
      await client.invalidateQueries({ queryKey: ["keys"] });
      onClose();
      if (made.api_key) onMade(name.trim(), made);
      else said(`${name.trim()} changed`);
      // With the first key everybody needs one, this browser included.
      if (first) await client.invalidateQueries({ queryKey: ["who"] });
    } catch (error) {
      sayError(error, "Could not save");
      setBusy(false);
    }
  };
  const names = [...new Set([...BUILT_IN, role, ...(roles?.map((each) => each.name) ?? [])])];
  return (
    <Dialog
      open
      onClose={onClose}
      title={of ? `Edit ${of.name}` : "New key"}
      {...(first
        ? { description: "The first key shuts the server: from then on every request needs one." }
        : {})}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} disabled={!name.trim()} onClick={() => void save()}>
            {of ? "Save key" : "Make key"}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Name"
          hint="What it is for: it stands in the record of changes."
          value={name}
          onChange={setName}
        />
        <SelectField label="Role" value={role} onChange={setRole} choices={names} />
        <TextField
          label="Namespace"
          hint={everywhere ? "One of them, or * for all." : "Yours."}
          disabled={!everywhere}
          value={namespace}
          onChange={setNamespace}
        />
        <TextField
          label="Queues"
          hint="Names separated by commas; * stands for any text. Empty means all."
          value={scope}
          onChange={setScope}
          look="font-mono text-xs"
        />
        {!of && <SelectField label="Expires" value={life} onChange={setLife} choices={LIVES} />}
      </div>
    </Dialog>
  );
}
