import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import clsx from "clsx";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { auditQuery } from "@/api/queries";
import { Page } from "@/app/Page";
import type { Search } from "@/app/router";
import { number } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { SelectField, TextField } from "@/ui/fields";
import { Panel } from "@/ui/Panel";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

const PAGE = 100;
const METHODS = [["", "any"], "POST", "PUT", "DELETE"] as const;
const HEAD = [
  { name: "When" },
  { name: "Who" },
  { name: "What" },
  { name: "Jobs", num: true },
  { name: "From", className: "@max-3xl:hidden" },
  { name: "Outcome" },
];

export default function Audit() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Search;
  const offset = Number(search.offset ?? 0) || 0;
  const asked: Record<string, string> = { limit: String(PAGE), offset: String(offset) };
  for (const name of ["principal", "path_prefix", "method", "namespace"])
    if (search[name]) asked[name] = search[name];
  const found = useQuery(auditQuery(asked));
  const [principal, setPrincipal] = useState(search.principal ?? "");
  const [path, setPath] = useState(search.path_prefix ?? "");
  const go = (part: Search) =>
    void navigate({ to: "/audit", search: { ...search, offset: undefined, ...part } });
  const page = found.data;
  return (
    <Page title="Audit" description="Every change: by whom, from where, what it did and to how many jobs.">
      <form
        className="mb-4 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          go({ principal: principal.trim() || undefined, path_prefix: path.trim() || undefined });
        }}
      >
        <TextField label="Who" placeholder="key:deploy" value={principal} onChange={setPrincipal} />
        <TextField
          label="Path begins with"
          placeholder="/api/v1/queues"
          look="font-mono text-xs"
          value={path}
          onChange={setPath}
        />
        <SelectField
          label="Method"
          value={search.method ?? ""}
          onChange={(method) => go({ method: method || undefined })}
          choices={METHODS}
        />
        <Button type="submit">Search</Button>
      </form>
      <Panel flush updatedAt={found.dataUpdatedAt}>
        {found.isPending ? (
          <Skeleton rows={8} />
        ) : !page ? (
          <Failure error={found.error} retry={() => void found.refetch()} />
        ) : page.audit_logs.length === 0 ? (
          <Empty icon={<ScrollText />} title="Nothing on record">
            Nobody has changed anything that fits, or it is older than the record goes back.
          </Empty>
        ) : (
          <Table head={HEAD}>
            {page.audit_logs.map((entry) => (
              <tr key={entry.id}>
                <td className="whitespace-nowrap">
                  <Time at={entry.created_at} />
                </td>
                <td>
                  <span className="block">{entry.principal}</span>
                  <span className="block text-2xs text-ink-3">
                    {[entry.role, entry.namespace].filter(Boolean).join(" · ")}
                  </span>
                </td>
                <td>
                  <span className="block">{entry.summary}</span>
                  <span className="block font-mono text-2xs break-all text-ink-3" title={entry.request_id}>
                    {entry.method} {entry.path}
                  </span>
                </td>
                <td className="num">{entry.affected ? number(entry.affected) : "–"}</td>
                <td className="font-mono text-xs @max-3xl:hidden">{entry.client}</td>
                <td className={clsx("nums", entry.status_code >= 400 && "text-bad")}>
                  {entry.status_code || ""} {entry.outcome}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
      {page && page.total > PAGE && (
        <div className="mt-4 flex items-center justify-center gap-3 text-sm text-ink-2">
          <Button disabled={offset === 0} onClick={() => go({ offset: String(Math.max(0, offset - PAGE)) })}>
            Newer
          </Button>
          <span className="nums">
            {number(offset + 1)} to {number(Math.min(offset + PAGE, page.total))} of {number(page.total)}
          </span>
          <Button
            disabled={offset + PAGE >= page.total}
            onClick={() => go({ offset: String(offset + PAGE) })}
          >
            Older
          </Button>
        </div>
      )}
    </Page>
  );
}
