import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Moon, Sun } from "lucide-react";
import { lazy, Suspense } from "react";
import { clusterQuery, infoQuery, queuesQuery } from "@/api/queries";
import { number, short } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Logo } from "./Logo";
import { offered, SECTIONS } from "./nav";
import { change, useTheme } from "./settings";
import { useWho } from "./who";

// A node without keys knows nobody.
const Account = lazy(() => import("./Account").then(({ Account }) => ({ default: Account })));
const NamespaceSwitch = lazy(() =>
  import("./Account").then(({ NamespaceSwitch }) => ({ default: NamespaceSwitch })),
);

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { data: queues } = useQuery(queuesQuery);
  const { data: cluster } = useQuery(clusterQuery);
  const { data: info } = useQuery(infoQuery);
  const dark = useTheme();
  // What is offered depends on it.
  useWho();
  const sum = (member: "dead" | "held") => queues?.reduce((total, queue) => total + queue[member], 0) ?? 0;
  const counts: Record<string, { count: number; tone: string; what: string }> = {
    "/dead": { count: sum("dead"), tone: "bg-bad-soft text-bad", what: "dead jobs" },
    "/held": { count: sum("held"), tone: "bg-warn-soft text-warn", what: "held jobs" },
  };
  return (
    <div className="flex h-full flex-col bg-panel">
      <Link to="/" onClick={onNavigate} className="flex h-14 items-center gap-2.5 px-4">
        <Logo />
        <span className="text-base font-semibold tracking-tight">Corvo</span>
      </Link>
      <Suspense fallback={null}>
        <NamespaceSwitch />
      </Suspense>
      <nav aria-label="Pages" className="flex-1 overflow-y-auto px-2.5 pb-4">
        {SECTIONS.filter((section) => offered(section.places).length > 0).map((section, at) => (
          <div key={section.name ?? at} className="mb-3">
            {section.name && <p className="px-2 pt-2 pb-1 text-2xs font-medium text-ink-3">{section.name}</p>}
            <ul>
              {offered(section.places)
                .filter((place) => !place.later)
                .map(({ to, name, icon: Icon }) => {
                  const badge = counts[to];
                  return (
                    <li key={to}>
                      <Link
                        to={to}
                        onClick={onNavigate}
                        activeOptions={{ exact: to === "/", includeSearch: false }}
                        className="group flex h-8 items-center gap-2.5 rounded-[7px] px-2 text-sm text-ink-2 hover:bg-hover hover:text-ink"
                        activeProps={{
                          className: "bg-accent-soft! text-ink! font-medium",
                          "aria-current": "page",
                        }}
                      >
                        <Icon
                          className="size-4 shrink-0 text-ink-3 group-aria-[current]:text-accent"
                          aria-hidden="true"
                        />
                        <span className="flex-1 truncate">{name}</span>
                        {badge && badge.count > 0 && (
                          <span
                            className={clsx("nums rounded-full px-1.5 text-2xs font-medium", badge.tone)}
                            title={`${number(badge.count)} ${badge.what}`}
                          >
                            {short(badge.count)}
                          </span>
                        )}
                      </Link>
                    </li>
                  );
                })}
            </ul>
          </div>
        ))}
      </nav>
      <Suspense fallback={null}>
        <Account />
      </Suspense>
      <div className="flex items-center gap-2 border-t border-line p-3 text-xs text-ink-2">
        <Link
          to="/cluster"
          onClick={onNavigate}
          className="min-w-0 flex-1 rounded-md px-1 py-0.5 hover:bg-hover"
        >
          <span className="flex items-center gap-1.5">
            <span
              className={clsx(
                "size-2 rounded-full",
                cluster?.status === "healthy" && cluster.nodes.every((node) => node.connected !== false)
                  ? "bg-good"
                  : "bg-warn",
              )}
              aria-hidden="true"
            />
            <span className="truncate font-medium text-ink">{cluster?.node_id ?? "…"}</span>
          </span>
          <span className="block truncate text-2xs text-ink-3">
            {cluster
              ? `${cluster.state.toLowerCase()} · ${cluster.nodes.length === 1 ? "single node" : `${cluster.nodes.length} nodes`}`
              : ""}
            {info ? ` · v${info.server_version}` : ""}
          </span>
        </Link>
        <Button
          look="ghost"
          size="sm"
          aria-label={dark ? "Light theme" : "Dark theme"}
          title={dark ? "Light theme" : "Dark theme"}
          icon={dark ? <Sun className="size-4" /> : <Moon className="size-4" />}
          onClick={() => change({ theme: dark ? "light" : "dark" })}
        />
      </div>
    </div>
  );
}
