import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { rolesQuery } from "@/api/queries";
import type { Role } from "@/api/types";
import { Page } from "@/app/Page";
import { Button } from "@/ui/Button";
import { Failure, Skeleton } from "@/ui/Empty";
import { said } from "@/ui/Toast";
import { RoleDialog } from "./RoleDialog";
import { Sure } from "./Sure";

export default function Roles() {
  const roles = useQuery(rolesQuery);
  const client = useQueryClient();
  const [editing, setEditing] = useState<Role | "new" | null>(null);
  const [deleting, setDeleting] = useState<Role | null>(null);
  const all = roles.data?.find((role) => role.name === "admin")?.holds ?? [];
  return (
    <Page
      title="Roles"
      description="What the holder of a key, or a person, may do. Five are built in; others are yours."
      actions={
        <Button
          needs="roles:write"
          look="primary"
          icon={<Plus className="size-4" />}
          onClick={() => setEditing("new")}
        >
          New role
        </Button>
      }
    >
      {roles.isPending ? (
        <Skeleton rows={6} />
      ) : !roles.data ? (
        <Failure error={roles.error} retry={() => void roles.refetch()} />
      ) : (
        <ul className="grid gap-3 xl:grid-cols-2">
          {roles.data.map((role) => (
            <li key={role.name} className="panel p-4">
              <div className="flex items-start gap-2">
                <h2 className="min-w-0 flex-1 text-base font-medium">
                  {role.name}{" "}
                  {role.built_in && (
                    <span className="rounded-full bg-line px-2 text-2xs font-normal text-ink-2">
                      built in
                    </span>
                  )}
                </h2>
                {!role.built_in && (
                  <>
                    <Button
                      needs="roles:write"
                      size="sm"
                      icon={<Pencil className="size-3.5" />}
                      onClick={() => setEditing(role)}
                    >
                      Edit
                    </Button>
                    <Button
                      needs="roles:write"
                      size="sm"
                      look="ghost"
                      aria-label={`Delete ${role.name}`}
                      icon={<Trash2 className="size-3.5" />}
                      onClick={() => setDeleting(role)}
                    />
                  </>
                )}
              </div>
              <p className="mt-2 flex flex-wrap gap-1.5 text-xs text-ink-2">
                {role.holds.length === all.length
                  ? "Everything."
                  : role.holds.map((permission) => (
                      <span key={permission} className="rounded bg-sunken px-1.5 py-px font-mono">
                        {permission}
                      </span>
                    ))}
              </p>
            </li>
          ))}
        </ul>
      )}
      {editing && (
        <RoleDialog
          of={editing === "new" ? null : editing}
          permissions={all}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Sure
          title={`Delete the role ${deleting.name}`}
          description="Keys that have it beside their own lose it. A role that is a key's own cannot be deleted."
          verb="Delete role"
          onClose={() => setDeleting(null)}
          run={async () => {
            await call(`/auth/roles/${encodeURIComponent(deleting.name)}`, { method: "DELETE" });
            said(`${deleting.name} deleted`);
            await client.invalidateQueries({ queryKey: ["roles"] });
          }}
        />
      )}
    </Page>
  );
}
