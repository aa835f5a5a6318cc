import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import {
  Ban,
  Check,
  Copy as CopyIcon,
  Ellipsis,
  Flag,
  Hand,
  MoveRight,
  RotateCcw,
  Terminal,
  Trash2,
  Undo2,
  X,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import { isGone } from "@/api/client";
import { explainQuery, historyQuery, jobQuery } from "@/api/queries";
import type { BulkAction } from "@/api/types";
import { ask } from "@/app/asking";
import { useHotkeys } from "@/app/hotkeys";
import { useActs } from "@/app/jobActions";
import { Page } from "@/app/Page";
import { may, useWho } from "@/app/who";
import { allows, VERBS } from "@/lib/actions";
import { percentText, progress } from "@/lib/history";
import { Button } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { Failure, Skeleton } from "@/ui/Empty";
import { JsonView } from "@/ui/Json";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Panel } from "@/ui/Panel";
import { Progress } from "@/ui/Progress";
import { StateBadge } from "@/ui/State";
import { Tabs } from "@/ui/Tabs";
import { Attempts } from "./parts/Attempts";
import {
  CommandsDialog,
  DeleteDialog,
  HoldDialog,
  MoveDialog,
  PriorityDialog,
  RejectDialog,
} from "./parts/JobDialogs";
import { JobFacts } from "./parts/JobFacts";
import { JobGraph } from "./parts/JobGraph";
import { Timeline } from "./parts/Timeline";
import { useFollowJob } from "./parts/useFollowJob";
import { isWaiting, Why } from "./parts/Why";

type Asking = "move" | "priority" | "hold" | "reject" | "delete" | "commands" | null;

export default function Job() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const job = useQuery(jobQuery(id));
  const history = useQuery(historyQuery(id));
  /** Deleted while it was looked at: what is shown is how it was last seen. */
  const gone = isGone(job.error);
  const waits = job.data !== undefined && !gone && isWaiting(job.data.state);
  const explained = useQuery({ ...explainQuery(id), enabled: waits });
  const navigate = useNavigate();
  const acts = useActs();
  const [asking, setAsking] = useState<Asking>(null);
  const [tab, setTab] = useState("payload");
  useFollowJob(id, job.data?.queue);

  useWho();
  const can = (action: BulkAction) =>
    job.data !== undefined && !gone && allows(action, job.data.state) && may(VERBS[action].needs);
  useHotkeys(
    {
      R: () => can("retry") && void acts.job("retry", job.data!),
      C: () => can("cancel") && void acts.job("cancel", job.data!),
      H: () => can("hold") && setAsking("hold"),
      M: () => can("move") && setAsking("move"),
      D: () => can("delete") && setAsking("delete"),
      c: () => setAsking("commands"),
    },
    job.data !== undefined && !gone,
  );

  const above = { to: "/jobs", name: "Jobs" };
  if (job.isPending)
    return (
      <Page title={id} above={above}>
        <Skeleton rows={12} />
      </Page>
    );
  if (!job.data)
    return (
      <Page title="Job" above={above}>
        <Failure error={job.error} {...(gone ? {} : { retry: () => void job.refetch() })} />
        {gone && (
          <p className="mt-4 text-sm">
            <Link to="/jobs" className="text-accent underline underline-offset-2">
              Search all jobs
            </Link>{" "}
            <span className="text-ink-2">by queue, payload or error.</span>
          </p>
        )}
      </Page>
    );
  const info = job.data;
  const moving = progress(info.progress);
  /** Whether it says more than how many per cent. */
  const told = moving?.percent === undefined || moving.text !== percentText(moving.percent);
  const events = history.data?.events ?? [];
  const documents: { id: string; label: string; content: ReactNode }[] = [
    {
      id: "payload",
      label: "Payload",
      content: <JsonView value={info.payload} label="payload" size="tall" />,
    },
    ...(info.result !== undefined
      ? [
          {
            id: "result",
            label: "Result",
            content: <JsonView value={info.result} label="result" size="tall" />,
          },
        ]
      : []),
    ...(info.checkpoint !== undefined
      ? [
          {
            id: "checkpoint",
            label: "Checkpoint",
            content: <JsonView value={info.checkpoint} label="checkpoint" size="tall" />,
          },
        ]
      : []),
    ...(info.progress !== undefined
      ? [{ id: "progress", label: "Progress", content: <JsonView value={info.progress} label="progress" /> }]
      : []),
    { id: "document", label: "Whole document", content: <JsonView value={info} label="job" size="tall" /> },
  ];
  return (
    <Page
      above={above}
      name={id}
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono text-base break-all sm:text-lg">{id}</span>
          <Copy text={id} label="Copy the id" />
          {gone ? (
            <span className="inline-flex items-center gap-1.5 rounded-full border border-line bg-panel px-2.5 py-0.5 text-sm font-medium text-ink-2">
              <Trash2 className="size-3.5" aria-hidden="true" /> deleted
            </span>
          ) : (
            <StateBadge
              state={info.state}
              className="rounded-full border border-line bg-panel px-2.5 py-0.5 text-sm font-medium"
            />
          )}
        </span>
      }
      actions={
        gone ? (
          <Button
            needs="enqueue:write"
            icon={<CopyIcon className="size-4" />}
            onClick={() => ask({ kind: "enqueue", like: info })}
          >
            Clone…
          </Button>
        ) : (
          <>
            {can("approve") && (
              <>
                <Button
                  needs="jobs:reject"
                  icon={<X className="size-4" />}
                  onClick={() => setAsking("reject")}
                >
                  Reject
                </Button>
                <Button
                  look="primary"
                  icon={<Check className="size-4" />}
                  onClick={() => void acts.job("approve", info)}
                >
                  Approve
                </Button>
              </>
            )}
            {can("retry") && (
              <Button
                look={info.state === "dead" ? "primary" : "plain"}
                icon={<RotateCcw className="size-4" />}
                onClick={() => void acts.job("retry", info)}
              >
                {info.state === "scheduled" ? "Run now" : "Retry"}
              </Button>
            )}
            {can("cancel") && (
              <Button icon={<Ban className="size-4" />} onClick={() => void acts.job("cancel", info)}>
                Cancel
              </Button>
            )}
            {can("move") && (
              <Button icon={<MoveRight className="size-4" />} onClick={() => setAsking("move")}>
                Move
              </Button>
            )}
            <Menu trigger={<Button aria-label="More actions" icon={<Ellipsis className="size-4" />} />}>
              <MenuItem
                needs="jobs:hold"
                icon={<Hand />}
                disabled={!can("hold")}
                onSelect={() => setAsking("hold")}
                hint="⇧H"
              >
                Hold…
              </MenuItem>
              <MenuItem
                needs="jobs:bulk"
                icon={<Undo2 />}
                disabled={!can("requeue")}
                onSelect={() => void acts.bulk({ action: "requeue", job_ids: [id] })}
              >
                Requeue, attempts count on
              </MenuItem>
              <MenuItem
                needs="jobs:write"
                icon={<Flag />}
                disabled={!can("change_priority")}
                onSelect={() => setAsking("priority")}
              >
                Change priority…
              </MenuItem>
              <MenuItem
                needs="enqueue:write"
                icon={<CopyIcon />}
                onSelect={() => ask({ kind: "enqueue", like: info })}
              >
                Clone…
              </MenuItem>
              <MenuItem icon={<Terminal />} onSelect={() => setAsking("commands")} hint="c">
                Copy as curl or CLI…
              </MenuItem>
              <MenuLine />
              <MenuItem
                needs="jobs:delete"
                danger
                icon={<Trash2 />}
                onSelect={() => setAsking("delete")}
                hint="⇧D"
              >
                Delete…
              </MenuItem>
            </Menu>
          </>
        )
      }
    >
      {gone && (
        <p role="status" className="mb-4 rounded-[10px] border border-warn/40 bg-warn-soft px-4 py-3 text-sm">
          <b className="font-semibold">This job no longer exists.</b> It was deleted, or its retention is
          over. What follows is how it was last seen: {info.state} in {info.queue}.
        </p>
      )}
      {waits && explained.data && <Why explanation={explained.data} />}
      {moving && info.state === "active" && !gone && (
        <section className="panel mb-4 p-4" aria-label="Progress">
          <div className="mb-2 flex justify-between text-sm">
            <span className="min-w-0 truncate">{told ? moving.text : "Progress"}</span>
            {moving.percent !== undefined && <span className="nums">{percentText(moving.percent)}</span>}
          </div>
          {moving.percent !== undefined && <Progress value={moving.percent} label="Progress of the job" />}
        </section>
      )}
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="grid min-w-0 content-start gap-4">
          <Panel title="Details" live={!gone}>
            <JobFacts job={info} />
          </Panel>
          <Attempts events={events} job={info} live={!gone} />
          {!gone && <JobGraph job={info} />}
          <Panel title="Documents" live={!gone}>
            <Tabs label="Documents of the job" value={tab} onChange={setTab} tabs={documents} />
          </Panel>
        </div>
        <Timeline history={history.data} failed={gone ? null : history.error} job={info} live={!gone} />
      </div>
      {asking === "move" && <MoveDialog job={info} onClose={() => setAsking(null)} />}
      {asking === "priority" && <PriorityDialog job={info} onClose={() => setAsking(null)} />}
      {asking === "hold" && <HoldDialog job={info} onClose={() => setAsking(null)} />}
      {asking === "reject" && <RejectDialog job={info} onClose={() => setAsking(null)} />}
      {asking === "delete" && (
        <DeleteDialog
          job={info}
          onClose={(gone) => {
            setAsking(null);
            if (gone) void navigate({ to: "/jobs" });
          }}
        />
      )}
      {asking === "commands" && <CommandsDialog job={info} onClose={() => setAsking(null)} />}
    </Page>
  );
}
