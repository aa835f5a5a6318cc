import clsx from "clsx";
import { Ban, CircleCheck, CircleX, Hourglass } from "lucide-react";
import type { BulkTask } from "@/api/types";
import { Spinner } from "@/ui/Button";

const LOOK = {
  queued: ["text-ink-2", <Hourglass key="i" className="size-3.5" aria-hidden="true" />],
  running: ["text-s-active", <Spinner key="i" />],
  completed: ["text-good", <CircleCheck key="i" className="size-3.5" aria-hidden="true" />],
  failed: ["text-bad", <CircleX key="i" className="size-3.5" aria-hidden="true" />],
  cancelled: ["text-s-cancelled", <Ban key="i" className="size-3.5" aria-hidden="true" />],
} as const;

export function TaskStatus({ status }: { status: BulkTask["status"] }) {
  const [tone, icon] = LOOK[status];
  return (
    <span className={clsx("inline-flex items-center gap-1.5 text-xs font-medium", tone)}>
      {icon}
      {status}
    </span>
  );
}
