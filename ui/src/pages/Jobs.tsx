import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bookmark, ListTree, Terminal, Trash2 } from "lucide-react";
import { useState } from "react";
import type { JobRow } from "@/api/types";
import { Page } from "@/app/Page";
import { change, useSettings } from "@/app/settings";
import { JobTable } from "@/jobs/JobTable";
import { QueryBar } from "@/jobs/QueryBar";
import { useFilter } from "@/jobs/useFilter";
import { curl, searchCommands } from "@/lib/commands";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { Empty, Failure } from "@/ui/Empty";
import { Field } from "@/ui/Field";
import { Menu, MenuItem, MenuLabel, MenuLine } from "@/ui/Menu";
import { Panel } from "@/ui/Panel";
import { said } from "@/ui/Toast";

const READY = [
  { name: "Running now", query: "state:active sort:started_at" },
  { name: "Stuck: active for over 10 minutes", query: "state:active started<-10m" },
  { name: "Dead in the last day", query: "state:dead age<24h sort:failed_at" },
  { name: "Waiting for over an hour", query: "state:pending age>1h order:asc" },
  { name: "On their last attempts", query: "state:retrying attempt>=3 sort:attempt" },
  { name: "Due within the hour", query: "state:scheduled scheduled<+1h sort:scheduled_at order:asc" },
];

export default function Jobs() {
  const { q = "" } = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const { views } = useSettings();
  const { filter, refusal, again } = useFilter(q);
  const [rows, setRows] = useState<JobRow[]>([]);
  const [asking, setAsking] = useState<"save" | "commands" | null>(null);
  const search = (query: string) => void navigate({ to: "/jobs", search: { q: query || undefined } });
  const when =
    filter.sort === "failed_at"
      ? "failed"
      : filter.sort === "scheduled_at"
        ? "scheduled"
        : filter.sort === "started_at"
          ? "started"
          : "created";
  const commands = searchCommands(q, filter);
  return (
    <Page title="Jobs" description="One line says which jobs are meant; the command line reads the same.">
      <Panel flush>
        <div className="flex flex-wrap items-start gap-2 border-b border-line p-3">
          <QueryBar value={q} onSearch={search} rows={rows} />
          <Menu
            trigger={
              <Button className="h-9" icon={<Bookmark className="size-4" />}>
                Views
              </Button>
            }
          >
            <MenuLabel>Ready-made</MenuLabel>
            {READY.map((view) => (
              <MenuItem key={view.name} onSelect={() => search(view.query)}>
                {view.name}
              </MenuItem>
            ))}
            {views.length > 0 && (
              <>
                <MenuLine />
                <MenuLabel>Yours</MenuLabel>
                {views.map((view) => (
                  <MenuItem key={view.name} onSelect={() => search(view.query)}>
                    {view.name}
                  </MenuItem>
                ))}
              </>
            )}
            <MenuLine />
            <MenuItem
              disabled={!q || refusal !== null}
              icon={<Bookmark />}
              onSelect={() => setAsking("save")}
            >
              Save this view…
            </MenuItem>
            {views.some((view) => view.query === q) && (
              <MenuItem
                danger
                icon={<Trash2 />}
                onSelect={() => change({ views: views.filter((view) => view.query !== q) })}
              >
                Forget this view
              </MenuItem>
            )}
          </Menu>
          <Button
            className="h-9 w-9"
            icon={<Terminal className="size-4" />}
            aria-label="Copy as curl or CLI"
            title="Copy as curl or CLI"
            onClick={() => setAsking("commands")}
          />
        </div>
        {refusal ? (
          <Failure error={refusal} />
        ) : (
          <JobTable
            filter={filter}
            when={when}
            onRows={setRows}
            onRefresh={again}
            empty={
              q ? undefined : (
                <Empty icon={<ListTree />} title="No jobs yet">
                  <p className="mb-3">Enqueue the first one:</p>
                  <Command
                    label="First job by curl"
                    text={curl("POST", "/enqueue", { queue: "emails", payload: { to: "ann@example.com" } })}
                  />
                </Empty>
              )
            }
          />
        )}
      </Panel>
      {asking === "save" && <SaveView query={q} onClose={() => setAsking(null)} />}
      <Dialog
        open={asking === "commands"}
        onClose={() => setAsking(null)}
        title="The same from a terminal"
        wide
      >
        <div className="space-y-3">
          <Command label="CLI" text={commands.cli} />
          <Command label="curl" text={commands.curl} />
        </div>
      </Dialog>
    </Page>
  );
}

function SaveView({ query, onClose }: { query: string; onClose(): void }) {
  const { views } = useSettings();
  const [name, setName] = useState("");
  const save = () => {
    change({ views: [...views.filter((view) => view.name !== name.trim()), { name: name.trim(), query }] });
    said(`View “${name.trim()}” saved in this browser`);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this view"
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" disabled={!name.trim()} onClick={save}>
            Save
          </Button>
        </>
      }
    >
      <Field label="Name">
        {(id) => (
          <input id={id} className="field" value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <p className="mt-3 rounded-lg bg-sunken px-3 py-2 font-mono text-xs break-words">{query}</p>
    </Dialog>
  );
}
