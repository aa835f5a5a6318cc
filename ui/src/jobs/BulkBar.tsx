// What to do with the chosen jobs, or with all that the filter finds.
import { Ban, Check, Flag, Hand, MoveRight, RotateCcw, Trash2, X } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import type { BulkAction, Filter, JobRow, SearchPage, State } from "@/api/types";
import { affected, VERBS } from "@/lib/actions";
import { number, plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { BulkDialog } from "./BulkDialog";

const ICONS: Partial<Record<BulkAction, ReactNode>> = {
  retry: <RotateCcw />,
  approve: <Check />,
  reject: <X />,
  cancel: <Ban />,
  hold: <Hand />,
  move: <MoveRight />,
  change_priority: <Flag />,
  delete: <Trash2 />,
};

interface Props {
  selected: ReadonlySet<string>;
  rows: JobRow[];
  filter: Filter;
  first?: SearchPage;
  named: string;
  onDone(): void;
}

/** There only while something is chosen: "all that fit" is meant for that choice and must not outlive it. */
export function BulkBar({ selected, rows, filter, first, named, onDone }: Props) {
  const [all, setAll] = useState(false);
  const [action, setAction] = useState<BulkAction | null>(null);
  const byState = useMemo(() => {
    const counts: Partial<Record<State, number>> = {};
    for (const row of rows) if (selected.has(row.id)) counts[row.state] = (counts[row.state] ?? 0) + 1;
    return counts;
  }, [rows, selected]);
  const total = first ? `${number(first.total)}${first.total_is_estimate ? "+" : ""}` : "all";
  const offered = (Object.keys(ICONS) as BulkAction[]).filter((each) => all || affected(each, byState) > 0);
  return (
    <section
      aria-label="Chosen jobs"
      data-bulk-bar
      className="panel sticky bottom-3 z-20 mx-3 mt-3 flex animate-pop flex-wrap items-center gap-x-3 gap-y-2 border-line-strong p-2 pl-4 shadow-high"
    >
      <p className="nums text-sm">
        {all ? `All ${total} jobs that fit` : `${plural(selected.size, "job")} selected`}
        {first && first.total > selected.size && (
          <button
            type="button"
            className="ml-2 text-accent underline underline-offset-2"
            onClick={() => setAll(!all)}
          >
            {all ? `Only the ${selected.size} selected` : `Select all ${total}`}
          </button>
        )}
      </p>
      <div className="ml-auto flex flex-wrap gap-1.5">
        {offered.map((each) => (
          <Button
            key={each}
            size="sm"
            className={each === "delete" ? "text-bad" : ""}
            icon={<span className="[&>svg]:size-3.5">{ICONS[each]}</span>}
            onClick={() => setAction(each)}
          >
            {VERBS[each].name}
          </Button>
        ))}
        <Button
          size="sm"
          look="ghost"
          onClick={() => {
            setAll(false);
            onDone();
          }}
        >
          Clear
        </Button>
      </div>
      {action && (
        <BulkDialog
          action={action}
          target={all ? { filter, ...(named ? { named } : {}) } : { ids: [...selected] }}
          onClose={(done) => {
            setAction(null);
            if (done) {
              setAll(false);
              onDone();
            }
          }}
        />
      )}
    </section>
  );
}
