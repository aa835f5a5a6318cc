import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "@/api/client";
import type { Key, KeyMade } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { SelectField } from "@/ui/fields";
import { sayError } from "@/ui/Toast";

const OVERLAPS = [
  ["24h", "for a day"],
  ["1h", "for an hour"],
  ["168h", "for a week"],
  ["0s", "no longer: it has leaked"],
] as const;

export function RotateDialog({
  of,
  onClose,
  onMade,
}: {
  of: Key;
  onClose(): void;
  onMade(made: KeyMade): void;
}) {
  const client = useQueryClient();
  const [overlap, setOverlap] = useState("24h");
  const [busy, setBusy] = useState(false);
  const rotate = async () => {
    setBusy(true);
    try {
      const made = await call<KeyMade>(`/auth/keys/${encodeURIComponent(of.id)}/rotate`, {
        method: "POST",
        body: { overlap },
      });
      await client.invalidateQueries({ queryKey: ["keys"] });
      onClose();
      onMade(made);
    } catch (error) {
      sayError(error, "Could not rotate");
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate ${of.name}`}
      description="The key gets a new secret. Both count while you put the new one in its places."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} onClick={() => void rotate()}>
            Make a new secret
          </Button>
        </>
      }
    >
      <SelectField
        label="The former secret counts"
        value={overlap}
        onChange={setOverlap}
        choices={OVERLAPS}
      />
    </Dialog>
  );
}
