import { useQuery } from "@tanstack/react-query";
import { Monitor, Moon, Sun, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { serverBase } from "@/api/client";
import { clusterQuery, healthQuery, infoQuery } from "@/api/queries";
import { ask } from "@/app/asking";
import { Page } from "@/app/Page";
import { type Settings as Choice, change, useSettings } from "@/app/settings";
import { durability } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Fact } from "@/ui/Fact";
import { Panel } from "@/ui/Panel";

export default function Settings() {
  const settings = useSettings();
  const { data: info } = useQuery(infoQuery);
  const { data: cluster } = useQuery(clusterQuery);
  const health = useQuery(healthQuery);
  return (
    <Page title="Settings" description="Appearance is kept in this browser only.">
      <div className="grid gap-4 xl:grid-cols-2">
        <Panel title="Appearance">
          <Choose
            legend="Theme"
            name="theme"
            value={settings.theme}
            onChange={(theme) => change({ theme: theme as Choice["theme"] })}
            options={[
              { value: "system", label: "As the system", icon: <Monitor className="size-4" /> },
              { value: "light", label: "Light", icon: <Sun className="size-4" /> },
              { value: "dark", label: "Dark", icon: <Moon className="size-4" /> },
            ]}
          />
          <div className="mt-5">
            <Choose
              legend="Rows"
              name="density"
              value={settings.density}
              onChange={(density) => change({ density: density as Choice["density"] })}
              options={[
                { value: "comfortable", label: "Comfortable" },
                { value: "compact", label: "Compact" },
              ]}
            />
          </div>
          <div className="mt-5">
            <Button onClick={() => ask({ kind: "shortcuts" })}>Keyboard shortcuts</Button>
          </div>
        </Panel>
        <Panel title="Server">
          <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
            <Fact term="Version">{info?.server_version ?? "…"}</Fact>
            <Fact term="Health">{health.isError ? health.error.message : (health.data?.status ?? "…")}</Fact>
            <Fact term="Node">{cluster?.node_id ?? "…"}</Fact>
            <Fact term="Role">{cluster?.state.toLowerCase() ?? "…"}</Fact>
            <Fact term="Writes are durable">{cluster ? durability(cluster) : "…"}</Fact>
            <Fact term="Your time zone">{Intl.DateTimeFormat().resolvedOptions().timeZone}</Fact>
          </dl>
          <p className="mt-5 flex flex-wrap gap-x-4 gap-y-1 text-sm">
            <a className="text-accent underline underline-offset-2" href={`${serverBase}docs`}>
              API reference
            </a>
            <a className="text-accent underline underline-offset-2" href={`${serverBase}openapi.json`}>
              openapi.json
            </a>
            <a className="text-accent underline underline-offset-2" href={`${serverBase}api/v1/metrics`}>
              Prometheus metrics
            </a>
          </p>
        </Panel>
        <Panel title="Saved views" flush className="xl:col-span-2">
          {settings.views.length === 0 ? (
            <p className="px-4 py-4 text-sm text-ink-3">None. Save a query on the Jobs page under Views.</p>
          ) : (
            <ul className="divide-y divide-line">
              {settings.views.map((view) => (
                <li key={view.name} className="flex items-center gap-3 px-4 py-2">
                  <span className="w-48 shrink-0 truncate text-sm">{view.name}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-3">{view.query}</span>
                  <Button
                    size="sm"
                    look="ghost"
                    aria-label={`Forget ${view.name}`}
                    icon={<Trash2 className="size-3.5" />}
                    onClick={() =>
                      change({ views: settings.views.filter((each) => each.name !== view.name) })
                    }
                  />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </Page>
  );
}

interface ChooseProps {
  legend: string;
  name: string;
  value: string;
  onChange(value: string): void;
  options: { value: string; label: string; icon?: ReactNode }[];
}

function Choose({ legend, name, value, onChange, options }: ChooseProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-xs font-medium text-ink-2">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex h-9 cursor-pointer items-center gap-2 rounded-[7px] border border-line-strong px-3 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            {option.icon}
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
