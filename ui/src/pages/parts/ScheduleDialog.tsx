// A schedule: what, when, and the times it will run at before it is saved.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ApiError, call } from "@/api/client";
import { queuesQuery } from "@/api/queries";
import type { FireTimes, Schedule } from "@/api/types";
import { inWords } from "@/lib/cron";
import { exact } from "@/lib/time";
import { troubleIn } from "@/lib/trouble";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { JsonEditor } from "@/ui/Json";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";

const zones = (): string[] => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

export function ScheduleDialog({ schedule, onClose }: { schedule: Schedule | null; onClose(): void }) {
  const client = useQueryClient();
  const { data: queues } = useQuery(queuesQuery);
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
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              className="field"
              value={name}
              onChange={(event) => setName(event.target.value)}
              placeholder="nightly-report"
            />
          )}
        </Field>
        <Field label="Queue">
          {(id) => (
            <>
              <input
                id={id}
                className="field"
                list={`${id}-queues`}
                value={queue}
                onChange={(event) => setQueue(event.target.value)}
                autoComplete="off"
              />
              <datalist id={`${id}-queues`}>
                {queues?.map((each) => (
                  <option key={each.name} value={each.name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Cron" hint={refused ? undefined : (inWords(cron) ?? "minute hour day month weekday")}>
          {(id) => (
            <input
              id={id}
              className="field font-mono"
              aria-invalid={refused !== null}
              value={cron}
              onChange={(event) => setCron(event.target.value)}
              spellCheck={false}
            />
          )}
        </Field>
        <Field label="Time zone">
          {(id) => (
            <select
              id={id}
              className="field"
              value={timezone}
              onChange={(event) => setTimezone(event.target.value)}
            >
              {zones().map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </select>
          )}
        </Field>
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
        <Field label="After a downtime" className="min-w-0">
          {(id) => (
            <select
              id={id}
              className="field"
              value={misfire}
              onChange={(event) => setMisfire(event.target.value)}
            >
              <option value="once">run once to catch up</option>
              <option value="skip">skip what was missed</option>
              <option value="all">run all that were missed</option>
            </select>
          )}
        </Field>
        <Field label="While the last one still runs">
          {(id) => (
            <select
              id={id}
              className="field"
              value={overlap}
              onChange={(event) => setOverlap(event.target.value)}
            >
              <option value="allow">run anyway</option>
              <option value="skip">skip this time</option>
            </select>
          )}
        </Field>
        <Field label="Payload" className="sm:col-span-2">
          {(id) => <JsonEditor id={id} value={payload} onChange={setPayload} rows={5} />}
        </Field>
      </div>
    </Dialog>
  );
}
