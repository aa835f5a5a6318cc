// What people can do to jobs, in which states, and what undoes it. The server has the last word; this is for
// buttons that make sense and sentences that say what will happen.
import type { BulkAction, State } from "@/api/types";

export interface Verb {
  /** On a button. */
  name: string;
  /** "Retrying 3 jobs". */
  doing: string;
  /** "3 jobs retried". */
  done: string;
  states: State[];
  /** The permission that it takes. */
  needs: string;
  /** What will happen, for a confirmation. */
  effect: string;
  /** Cannot be taken back. */
  final?: boolean;
  /** The action that takes exactly this back, from these states. */
  inverse?: { action: BulkAction; from: State[] };
}

const LIVING: State[] = ["pending", "active", "scheduled", "retrying"];

export const VERBS: Record<BulkAction, Verb> = {
  retry: {
    name: "Retry",
    needs: "jobs:retry",
    doing: "Retrying",
    done: "retried",
    states: ["dead", "cancelled", "completed", "scheduled"],
    effect: "They run again from their first attempt, at the end of the line.",
  },
  requeue: {
    name: "Requeue",
    needs: "jobs:bulk",
    doing: "Requeueing",
    done: "requeued",
    states: ["dead"],
    effect: "They run once more; attempts and errors count on.",
  },
  cancel: {
    name: "Cancel",
    needs: "jobs:cancel",
    doing: "Cancelling",
    done: "cancelled",
    states: [...LIVING, "held"],
    effect: "They will not run. Workers of active ones learn it by their next heartbeat.",
  },
  hold: {
    name: "Hold",
    needs: "jobs:hold",
    doing: "Holding",
    done: "held",
    states: LIVING,
    effect: "They do not run until somebody approves them.",
    inverse: { action: "approve", from: ["pending"] },
  },
  approve: {
    name: "Approve",
    needs: "jobs:approve",
    doing: "Approving",
    done: "approved",
    states: ["held"],
    effect: "They go on and wait for a worker.",
  },
  reject: {
    name: "Reject",
    needs: "jobs:reject",
    doing: "Rejecting",
    done: "rejected",
    states: ["held"],
    effect: "They are given up and become dead.",
  },
  move: {
    name: "Move",
    needs: "jobs:move",
    doing: "Moving",
    done: "moved",
    states: ["pending", "scheduled", "retrying", "held", "completed", "dead", "cancelled"],
    effect: "They change to the other queue, at the end of its line.",
    inverse: {
      action: "move",
      from: ["pending", "scheduled", "retrying", "held", "completed", "dead", "cancelled"],
    },
  },
  change_priority: {
    name: "Change priority",
    needs: "jobs:write",
    doing: "Changing the priority of",
    done: "changed",
    states: ["pending", "scheduled", "retrying", "held"],
    effect: "They are handed out by their new priority.",
  },
  delete: {
    name: "Delete",
    needs: "jobs:delete",
    doing: "Deleting",
    done: "deleted",
    states: ["pending", "active", "scheduled", "retrying", "held", "completed", "dead", "cancelled"],
    effect: "They are removed with their history, results and errors.",
    final: true,
  },
};

export const allows = (action: BulkAction, state: State): boolean => VERBS[action].states.includes(state);

/** Of so many jobs in these states, how many will be acted on. */
export function affected(action: BulkAction, byState: Partial<Record<State, number>>): number {
  return VERBS[action].states.reduce((sum, state) => sum + (byState[state] ?? 0), 0);
}
