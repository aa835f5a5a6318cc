import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import type { Role } from "@/api/types";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";
import { said, sayError } from "@/ui/Toast";

interface Props {
  of: Role | null;
  /** All there are, each as resource:action. */
  permissions: string[];
  onClose(): void;
}

export function RoleDialog({ of, permissions, onClose }: Props) {
  const client = useQueryClient();
  const [name, setName] = useState(of?.name ?? "");
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set(of?.holds ?? []));
  const [busy, setBusy] = useState(false);
  const resources = useMemo(() => byResource(permissions), [permissions]);
  const toggle = (permission: string) => {
    const next = new Set(held);
    if (!next.delete(permission)) next.add(permission);
    setHeld(next);
  };
  const save = async () => {
    setBusy(true);
    try {
      const pairs = [...byResource([...held].filter((each) => permissions.includes(each)))];
      await call("/auth/roles", {
        method: "POST",
        body: {
          name: name.trim(),
          permissions: pairs.map(([resource, actions]) => ({ resource, actions })),
        },
      });
      said(`${name.trim()} saved`);
      await client.invalidateQueries({ queryKey: ["roles"] });
      onClose();
    } catch (error) {
      sayError(error, "Could not save");
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={of ? `Edit ${of.name}` : "New role"}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={!name.trim() || !held.size}
            onClick={() => void save()}
          >
            Save role
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField label="Name" disabled={of !== null} value={name} onChange={setName} />
        <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
          {[...resources].map(([resource, actions]) => (
            <fieldset key={resource}>
              <legend className="mb-1 text-xs font-medium text-ink-2">{resource}</legend>
              <div className="flex flex-wrap gap-x-3 gap-y-1">
                {actions.map((action) => (
                  <label key={action} className="flex cursor-pointer items-center gap-1.5 text-xs">
                    <input
                      type="checkbox"
                      aria-label={`${resource}:${action}`}
                      checked={held.has(`${resource}:${action}`)}
                      onChange={() => toggle(`${resource}:${action}`)}
                    />
                    {action}
                  </label>
                ))}
              </div>
            </fieldset>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

function byResource(permissions: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const permission of [...permissions].sort()) {
    const [resource = "", action = ""] = permission.split(":");
    found.set(resource, [...(found.get(resource) ?? []), action]);
  }
  return found;
}
