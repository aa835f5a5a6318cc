import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { ssoQuery } from "@/api/queries";
import type { Sso as Settings } from "@/api/types";
import { Page } from "@/app/Page";
import { useMay } from "@/app/who";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Failure, Skeleton } from "@/ui/Empty";
import { SelectField, TextField } from "@/ui/fields";
import { Panel } from "@/ui/Panel";
import { said, sayError } from "@/ui/Toast";

const PROVIDERS = [
  ["", "none"],
  ["oidc", "OpenID Connect"],
] as const;

export default function Sso() {
  const found = useQuery(ssoQuery);
  return (
    <Page
      title="Single sign-on"
      description="How people log in without a key. It holds on every node at once."
    >
      {found.isPending ? (
        <Skeleton rows={8} />
      ) : !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <Form key={found.data.updated_at ?? ""} settings={found.data} />
      )}
    </Page>
  );
}

function Form({ settings }: { settings: Settings }) {
  const client = useQueryClient();
  const mayWrite = useMay("sso:write");
  const [now, setNow] = useState(settings);
  const [groups, setGroups] = useState(() =>
    Object.entries(settings.group_role_mappings).map(([group, role], id) => ({ id, group, role })),
  );
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<Settings>) => setNow({ ...now, ...part });
  const save = async () => {
    setBusy(true);
    try {
      const mapped = groups.filter((each) => each.group.trim() || each.role.trim());
      await call("/settings/sso", {
        method: "POST",
        body: {
          ...now,
          group_role_mappings: Object.fromEntries(
            mapped.map((each) => [each.group.trim(), each.role.trim()]),
          ),
        },
      });
      said("Saved: every node goes by it now");
      await client.invalidateQueries({ queryKey: ["sso"] });
    } catch (error) {
      sayError(error, "Could not save");
    }
    setBusy(false);
  };
  return (
    <fieldset disabled={!mayWrite} className="grid max-w-4xl gap-4">
      <legend className="sr-only">Single sign-on</legend>
      <Panel title="OpenID Connect">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Provider"
            value={now.provider}
            onChange={(provider) => set({ provider })}
            choices={PROVIDERS}
          />
          <TextField
            label="Client id"
            hint="The name by which the provider knows this server."
            value={now.oidc_client_id}
            onChange={(oidc_client_id) => set({ oidc_client_id })}
          />
          <TextField
            label="Issuer"
            hint="Where the provider describes itself, such as https://id.example.com/realms/main."
            value={now.oidc_issuer_url}
            onChange={(oidc_issuer_url) => set({ oidc_issuer_url })}
            look="font-mono text-xs"
            className="sm:col-span-2"
          />
          <TextField
            label="Scopes"
            value={now.oidc_scopes}
            onChange={(oidc_scopes) => set({ oidc_scopes })}
            look="font-mono text-xs"
          />
          <TextField
            label="Claim with the groups"
            value={now.oidc_group_claim}
            onChange={(oidc_group_claim) => set({ oidc_group_claim })}
            look="font-mono text-xs"
          />
          <TextField
            label="Redirect address"
            hint="Empty: the address at which a browser came."
            value={now.oidc_redirect_url}
            onChange={(oidc_redirect_url) => set({ oidc_redirect_url })}
            look="font-mono text-xs"
            className="sm:col-span-2"
          />
        </div>
        <p className="mt-4 mb-1 text-xs font-medium text-ink-2">Allow this address at the provider</p>
        <Command text={settings.callback_url} label="redirect address" />
        <p className="mt-2 text-xs text-ink-3">
          A client with a secret has it in the file named by <code>--oidc-client-secret-file</code>, on every
          node.
        </p>
      </Panel>
      <Panel title="Groups and roles">
        <p className="mb-3 text-sm text-ink-2">
          Who is in none of these groups may read, without payloads. A role may name its namespace:{" "}
          <code className="font-mono text-xs">operator@acme</code>, or{" "}
          <code className="font-mono text-xs">admin@*</code> for all.
        </p>
        <ul className="space-y-2">
          {groups.map((each, at) => (
            <li key={each.id} className="flex items-end gap-2">
              <TextField
                label="Group"
                className="min-w-0 flex-1"
                value={each.group}
                onChange={(group) => setGroups(groups.with(at, { ...each, group }))}
              />
              <TextField
                label="Role"
                className="min-w-0 flex-1"
                value={each.role}
                onChange={(role) => setGroups(groups.with(at, { ...each, role }))}
              />
              <Button
                look="ghost"
                aria-label={`Forget the group ${each.group}`}
                icon={<Trash2 className="size-4" />}
                onClick={() => setGroups(groups.toSpliced(at, 1))}
              />
            </li>
          ))}
        </ul>
        <Button
          needs="sso:write"
          className="mt-3"
          size="sm"
          icon={<Plus className="size-3.5" />}
          onClick={() =>
            setGroups([...groups, { id: (groups.at(-1)?.id ?? 0) + 1, group: "", role: "readonly" }])
          }
        >
          Add a group
        </Button>
      </Panel>
      <Panel title="SAML by a proxy">
        <label className="flex cursor-pointer items-start gap-2 text-sm">
          <input
            type="checkbox"
            className="mt-1"
            checked={now.saml_enabled}
            onChange={(event) => set({ saml_enabled: event.target.checked })}
          />
          <span>
            Believe the headers X-Corvo-SAML-Subject, -Role, -Roles and -Namespace of the proxies in{" "}
            <code className="font-mono text-xs">--trusted-proxies</code>.
          </span>
        </label>
      </Panel>
      <div>
        <Button needs="sso:write" look="primary" busy={busy} onClick={() => void save()}>
          Save
        </Button>
      </div>
    </fieldset>
  );
}
