import { useState } from "react";
import type { Job } from "@/api/types";
import { useActs } from "@/app/jobActions";
import { QueueField } from "@/app/QueueField";
import { cli, curl } from "@/lib/commands";
import { shortId } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { PRIORITY_CHOICES, SelectField, TextField } from "@/ui/fields";

export function MoveDialog({ job, onClose }: { job: Job; onClose(): void }) {
  const [queue, setQueue] = useState("");
  const acts = useActs();
  const move = async () => {
    if (await acts.job("move", job, { queue: queue.trim() })) onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Move ${shortId(job.id)}`}
      description={`It is in ${job.queue} now and goes to the end of the other queue's line.`}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" disabled={!queue.trim() || queue === job.queue} onClick={move}>
            Move{queue.trim() ? ` to ${queue.trim()}` : ""}
          </Button>
        </>
      }
    >
      <QueueField label="To the queue" value={queue} onChange={setQueue} />
    </Dialog>
  );
}

export function PriorityDialog({ job, onClose }: { job: Job; onClose(): void }) {
  const [priority, setPriority] = useState(job.priority_name);
  const acts = useActs();
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Priority of ${shortId(job.id)}`}
      description="Jobs of a higher priority are handed out first, within their queue."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            disabled={priority === job.priority_name}
            onClick={async () => {
              if (await acts.job("change_priority", job, { priority })) onClose();
            }}
          >
            Change to {priority}
          </Button>
        </>
      }
    >
      <SelectField label="Priority" value={priority} onChange={setPriority} choices={PRIORITY_CHOICES} />
    </Dialog>
  );
}

export function HoldDialog({ job, onClose }: { job: Job; onClose(): void }) {
  const [reason, setReason] = useState("");
  const acts = useActs();
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Hold ${shortId(job.id)}`}
      description={
        job.state === "active"
          ? "Its worker loses the lease and learns it by the next heartbeat. It does not run until somebody approves it."
          : "It does not run until somebody approves it."
      }
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            onClick={async () => {
              if (await acts.job("hold", job, reason ? { reason } : {})) onClose();
            }}
          >
            Hold
          </Button>
        </>
      }
    >
      <TextField
        label="Reason"
        hint="Shown on the Held page and in the job's history."
        value={reason}
        onChange={setReason}
      />
    </Dialog>
  );
}

export function DeleteDialog({ job, onClose }: { job: Job; onClose(gone: boolean): void }) {
  const acts = useActs();
  return (
    <Dialog
      open
      onClose={() => onClose(false)}
      title={`Delete ${shortId(job.id)}`}
      description={`It is ${job.state} in ${job.queue}. Its payload, result, errors and history go with it. This cannot be undone.`}
      footer={
        <>
          <Button onClick={() => onClose(false)}>Back</Button>
          <Button
            look="danger"
            onClick={async () => {
              if (await acts.job("delete", job)) onClose(true);
            }}
          >
            Delete this job
          </Button>
        </>
      }
    />
  );
}

export function CommandsDialog({ job, onClose }: { job: Job; onClose(): void }) {
  return (
    <Dialog open onClose={onClose} title="The same from a terminal" wide>
      <div className="space-y-3">
        {(
          [
            ["Look at it", cli("inspect", job.id)],
            ["Why it waits", cli("why", job.id)],
            ["Look at it by curl", curl("GET", `/jobs/${job.id}`)],
            ["Why it waits, by curl", curl("GET", `/jobs/${job.id}/explain`)],
            ["Retry it", cli("retry", job.id)],
            ["Retry it by curl", curl("POST", `/jobs/${job.id}/retry`)],
            [
              "Enqueue another like it",
              curl("POST", "/enqueue", {
                queue: job.queue,
                payload: job.payload,
                priority: job.priority_name,
                max_retries: job.max_retries,
              }),
            ],
          ] as const
        ).map(([label, text]) => (
          <div key={label}>
            <p className="mb-1 text-xs text-ink-2">{label}</p>
            <Command label={label} text={text} />
          </div>
        ))}
      </div>
    </Dialog>
  );
}

export function RejectDialog({
  job,
  onClose,
}: {
  job: Pick<Job, "id" | "state" | "queue" | "priority">;
  onClose(): void;
}) {
  const acts = useActs();
  const [reason, setReason] = useState("");
  return (
    <Dialog
      open
      onClose={onClose}
      title="Reject this job"
      description="It is given up and becomes dead. It can still be retried from there."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="danger"
            onClick={async () => {
              if (await acts.job("reject", job, reason ? { reason } : {})) onClose();
            }}
          >
            Reject
          </Button>
        </>
      }
    >
      <TextField label="Reason" hint="Kept in the job's history." value={reason} onChange={setReason} />
    </Dialog>
  );
}
