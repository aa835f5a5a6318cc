// Who is logged in, and the way out; for those of all namespaces, which one they look at.
import { useQuery } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { call } from "@/api/client";
import { namespacesQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { sayError } from "@/ui/Toast";
import { chooseNamespace, chosenNamespace, signedOut, useWho } from "./who";

export function Account() {
  const who = useWho();
  if (!who?.auth_required) return null;
  const leave = async () => {
    try {
      await call("/auth/logout", { method: "POST" });
      signedOut();
    } catch (error) {
      sayError(error, "Could not log out");
    }
  };
  return (
    <section
      aria-label="You"
      className="flex items-center gap-2 border-t border-line px-4 py-2 text-xs text-ink-2"
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-ink" title={who.principal}>
          {who.principal.replace(/^\w+:/, "")}
        </span>
        <span className="block truncate text-2xs text-ink-3">
          {who.role}
          {who.namespace === "*" ? "" : ` · ${who.namespace}`}
        </span>
      </span>
      {who.session_id && (
        <Button
          look="ghost"
          size="sm"
          aria-label="Log out"
          title="Log out"
          icon={<LogOut className="size-4" />}
          onClick={() => void leave()}
        />
      )}
    </section>
  );
}

export function NamespaceSwitch() {
  const who = useWho();
  const { data: namespaces } = useQuery({
    ...namespacesQuery,
    enabled: who?.namespace === "*" && who.permissions.includes("namespaces:read"),
  });
  const chosen = chosenNamespace() ?? "default";
  if (!namespaces || (namespaces.length < 2 && chosen === "default")) return null;
  const names = [...new Set(["default", chosen, ...namespaces.map((each) => each.name)])];
  return (
    <label className="mx-2.5 mb-2 block">
      <span className="sr-only">Namespace</span>
      <select className="field h-8" value={chosen} onChange={(event) => chooseNamespace(event.target.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
