import { Dialog } from "@/ui/Dialog";
import { CTRL, Kbd } from "@/ui/Field";
import { ask } from "./asking";
import { offered, PLACES } from "./nav";

const EVERYWHERE: [string[], string][] = [
  [[CTRL, "K"], "Search or go to"],
  [["/"], "To the query bar"],
  [["n"], "Enqueue a job"],
  [["?"], "This list"],
];
const LISTS: [string[], string][] = [
  [["j"], "Next job"],
  [["k"], "Job before"],
  [["x"], "Select it"],
  [["Enter"], "Open it"],
  [["⇧", "A"], "Select all loaded"],
  [["r"], "Refresh"],
  [["Esc"], "Select none"],
];
const JOB: [string[], string][] = [
  [["⇧", "R"], "Retry"],
  [["⇧", "C"], "Cancel"],
  [["⇧", "H"], "Hold…"],
  [["⇧", "M"], "Move…"],
  [["⇧", "D"], "Delete…"],
  [["c"], "Copy as curl or CLI"],
];

export default function Shortcuts() {
  return (
    <Dialog
      open
      wide
      onClose={() => ask(null)}
      title="Keyboard shortcuts"
      description="Upper case means: I am sure."
    >
      <div className="grid gap-6 sm:grid-cols-2">
        <Keys name="Everywhere" rows={EVERYWHERE} />
        <Keys name="In lists of jobs" rows={LISTS} />
        <Keys name="On a job" rows={JOB} />
        <Keys
          name="Go to"
          rows={offered(PLACES)
            .filter((place) => place.key)
            .map((place) => [["g", place.key!], place.name])}
        />
      </div>
    </Dialog>
  );
}

function Keys({ name, rows }: { name: string; rows: [string[], string][] }) {
  return (
    <section>
      <h3 className="mb-2 text-xs font-medium text-ink-3">{name}</h3>
      <dl className="space-y-1.5">
        {rows.map(([keys, text]) => (
          <div key={text} className="flex items-center justify-between gap-3 text-sm">
            <dt>{text}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
