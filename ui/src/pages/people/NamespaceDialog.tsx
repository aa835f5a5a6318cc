import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";
import { said, sayError } from "@/ui/Toast";

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function NamespaceDialog({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await call("/namespaces", { method: "POST", body: { name } });
      said(`${name} made`);
      await client.invalidateQueries({ queryKey: ["namespaces"] });
      onClose();
    } catch (error) {
      sayError(error, "Could not make it");
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="New namespace"
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} disabled={!NAME.test(name)} onClick={() => void save()}>
            Make namespace
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint="Lower-case letters, digits and inner hyphens, 63 at most."
        value={name}
        onChange={setName}
      />
    </Dialog>
  );
}
