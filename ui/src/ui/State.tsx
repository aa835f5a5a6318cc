// A state is told by its shape as well as by its colour.
import clsx from "clsx";
import type { ReactNode } from "react";
import type { State } from "@/api/types";

const SHAPES: Record<State, ReactNode> = {
  pending: <circle cx="7" cy="7" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  active: (
    <>
      <circle
        cx="7"
        cy="7"
        r="5.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeOpacity="0.35"
      />
      <path d="M5.4 4.300v5.400L9.900 7z" fill="currentColor" />
    </>
  ),
  scheduled: (
    <>
      <circle cx="7" cy="7" r="5.200" fill="none" stroke="currentColor" strokeWidth="1.500" />
      <path
        d="M7 4.300V7.200l1.900 1.200"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.500"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  retrying: (
    <>
      <path
        d="M11.900 7a4.900 4.900 0 1 1-1.500-3.500"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.600"
        strokeLinecap="round"
      />
      <path d="M12.200 1.600v3.200H9z" fill="currentColor" />
    </>
  ),
  held: (
    <>
      <rect
        x="1.800"
        y="1.800"
        width="10.400"
        height="10.400"
        rx="2.600"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.500"
      />
      <path
        d="M5.400 4.800v4.400M8.600 4.800v4.400"
        stroke="currentColor"
        strokeWidth="1.600"
        strokeLinecap="round"
      />
    </>
  ),
  completed: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path
        d="M4.400 7.200 6.300 9l3.400-3.900"
        fill="none"
        className="stroke-panel"
        strokeWidth="1.600"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  dead: (
    <>
      <path d="M4.500 1h5L13 4.500v5L9.500 13h-5L1 9.500v-5z" fill="currentColor" />
      <path d="m5 5 4 4m0-4L5 9" className="stroke-panel" strokeWidth="1.600" strokeLinecap="round" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="7" cy="7" r="5.200" fill="none" stroke="currentColor" strokeWidth="1.500" />
      <path d="M3.500 10.500l7-7" stroke="currentColor" strokeWidth="1.500" />
    </>
  ),
};

export const STATE_TEXT: Record<State, string> = {
  pending: "text-s-pending",
  active: "text-s-active",
  completed: "text-s-completed",
  retrying: "text-s-retrying",
  scheduled: "text-s-scheduled",
  held: "text-s-held",
  dead: "text-s-dead",
  cancelled: "text-s-cancelled",
};

export function StateIcon({ state, className }: { state: State; className?: string }) {
  return (
    <svg
      viewBox="0 0 14 14"
      className={clsx("size-3.5 shrink-0", STATE_TEXT[state], className)}
      aria-hidden="true"
    >
      {SHAPES[state]}
    </svg>
  );
}

export function StateBadge({ state, className }: { state: State; className?: string }) {
  return (
    <span
      className={clsx("inline-flex items-center gap-1.5 whitespace-nowrap", STATE_TEXT[state], className)}
    >
      <StateIcon state={state} />
      {state}
    </span>
  );
}

/** A bar of counts by state; what it shows is in its label as well. */
export function StateBar({ counts }: { counts: Partial<Record<State, number>> }) {
  const parts = (Object.entries(counts) as [State, number][]).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return <div className="h-1.5 rounded-full bg-sunken" />;
  return (
    <div
      className="flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken"
      role="img"
      aria-label={parts.map(([state, count]) => `${count} ${state}`).join(", ")}
    >
      {parts.map(([state, count]) => (
        <div
          key={state}
          className={clsx("min-w-[3px] bg-current", STATE_TEXT[state])}
          style={{ width: `${(count / total) * 100}%` }}
        />
      ))}
    </div>
  );
}
