// A schedule: what, when, and the times it will run at before it is saved.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ApiError, call } from "@/api/client";
import type { FireTimes, Schedule } from "@/api/types";
import { QueueField } from "@/app/QueueField";
import { inWords } from "@/lib/cron";
import { exact } from "@/lib/time";
import { troubleIn } from "@/lib/trouble";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { SelectField, TextField } from "@/ui/fields";
import { JsonEditor } from "@/ui/Json";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";

const zones = (): string[] => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

export function ScheduleDialog({ schedule, onClose }: { schedule: Schedule | null; onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState(schedule?.name ?? "");
  const [queue, setQueue] = useState(schedule?.queue ?? "");
  const [cron, setCron] = useState(schedule?.cron ?? "*/15 * * * *");
  const [timezone, setTimezone] = useState(schedule?.timezone ?? "UTC");
  const [payload, setPayload] = useState(JSON.stringify(schedule?.payload ?? {}, null, 2));
  const [misfire, setMisfire] = useState(schedule?.misfire ?? "once");
  const [overlap, setOverlap] = useState(schedule?.overlap ?? "allow");
  const [busy, setBusy] = useState(false);
  const asked = useDeferredValue({ cron: cron.trim(), timezone });
  const preview = useQuery({
    queryKey: ["schedule-preview", asked],
    enabled: asked.cron !== "",
    retry: false,
    queryFn: ({ signal }) =>
      call<FireTimes>("/schedules/preview", { method: "POST", body: { ...asked, n: 5 }, signal }),
  });
  const refused = preview.error instanceof ApiError ? preview.error.message : null;
  const ready = name.trim() && queue.trim() && !refused && (!payload.trim() || !troubleIn(payload));
  const save = async () => {
    setBusy(true);
    const body = `{"name":${JSON.stringify(name.trim())},"queue":${JSON.stringify(queue.trim())},"cron":${JSON.stringify(cron.trim())},"timezone":${JSON.stringify(timezone)},"misfire":${JSON.stringify(misfire)},"overlap":${JSON.stringify(overlap)},"payload":${payload.trim() || "{}"}}`;
    try {
      await call(schedule ? `/schedules/${encodeURIComponent(schedule.id)}` : "/schedules", {
        method: schedule ? "PUT" : "POST",
        body,
      });
      said(`Schedule ${name.trim()} saved`);
      await client.invalidateQueries({ queryKey: ["schedules"] });
      onClose();
    } catch (error) {
      sayError(error, "Could not save");
    }
    setBusy(false);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={schedule ? `Edit ${schedule.name}` : "New schedule"}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" busy={busy} disabled={!ready} onClick={save}>
            Save schedule
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={name} placeholder="nightly-report" onChange={setName} />
        <QueueField label="Queue" value={queue} onChange={setQueue} />
        <TextField
          label="Cron"
          hint={refused ? undefined : (inWords(cron) ?? "minute hour day month weekday")}
          aria-invalid={refused !== null}
          value={cron}
          spellCheck={false}
          onChange={setCron}
          look="font-mono"
        />
        <SelectField label="Time zone" value={timezone} onChange={setTimezone} choices={zones()} />
        <div className="rounded-lg border border-line bg-sunken px-3 py-2 text-sm sm:col-span-2">
          <h3 className="text-xs font-medium text-ink-2">Next runs</h3>
          {refused ? (
            <p role="alert" className="mt-1 text-bad">
              {refused}
            </p>
          ) : (
            <ol className="nums mt-1 space-y-0.5" aria-label="Next runs">
              {preview.data?.runs.map((run) => (
                <li key={run.at} className="flex gap-3" title={exact(Date.parse(run.at))}>
                  <span>{run.local.replace("T", " ")}</span>
                  <Time at={run.at} className="text-ink-3" />
                </li>
              ))}
            </ol>
          )}
        </div>
        <SelectField
          label="After a downtime"
          className="min-w-0"
          value={misfire}
          onChange={setMisfire}
          choices={[
            ["once", "run once to catch up"],
            ["skip", "skip what was missed"],
            ["all", "run all that were missed"],
          ]}
        />
        <SelectField
          label="While the last one still runs"
          value={overlap}
          onChange={setOverlap}
          choices={[
            ["allow", "run anyway"],
            ["skip", "skip this time"],
          ]}
        />
        <Field label="Payload" className="sm:col-span-2">
          {(id) => <JsonEditor id={id} value={payload} onChange={setPayload} rows={5} />}
        </Field>
      </div>
    </Dialog>
  );
}
