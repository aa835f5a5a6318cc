// What was done and what went wrong, said once and out loud.
import clsx from "clsx";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { ApiError } from "@/api/client";
import { clip } from "@/lib/format";
import { Button } from "./Button";

/** A click on what is said here is none beside a dialog. */
export const TOASTS = "toasts";

interface Note {
  id: number;
  kind: "good" | "bad";
  text: ReactNode;
  detail?: ReactNode;
  action?: { label: string; run(): void };
}

let notes: Note[] = [];
let nextId = 1;
const observers = new Set<() => void>();
const change = (next: Note[]) => {
  notes = next;
  for (const observer of observers) observer();
};

export function toast(note: Omit<Note, "id">, forMs = note.action ? 15_000 : 6_000): void {
  const id = nextId++;
  change([...notes.slice(-3), { ...note, id }]);
  setTimeout(() => dismiss(id), forMs);
}

export const said = (text: ReactNode, action?: Note["action"]) =>
  toast(action ? { kind: "good", text, action } : { kind: "good", text });

export function sayError(error: unknown, doing: string): void {
  const known = error instanceof ApiError ? error : null;
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  toast({ kind: "bad", text: clip(`${doing}: ${message}`, 400), detail: known?.hint }, 12_000);
}

const dismiss = (id: number) => change(notes.filter((note) => note.id !== id));

export function Toasts() {
  const shown = useSyncExternalStore(
    (observer) => {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    () => notes,
  );
  return (
    <div
      id={TOASTS}
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-3 bottom-3 z-[60] flex w-[min(26rem,calc(100vw-1.5rem))] flex-col gap-2"
    >
      {shown.map((note) => (
        <div
          key={note.id}
          className="panel pointer-events-auto flex animate-pop items-start gap-2.5 p-3 shadow-high"
        >
          <span className={clsx("mt-0.5 [&>svg]:size-4", note.kind === "good" ? "text-good" : "text-bad")}>
            {note.kind === "good" ? <CircleCheck aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
          </span>
          <div className="min-w-0 flex-1 text-sm">
            <p className="break-words">{note.text}</p>
            {note.detail && <p className="mt-0.5 text-xs text-ink-2">{note.detail}</p>}
          </div>
          {note.action && (
            <Button
              size="sm"
              onClick={() => {
                note.action!.run();
                dismiss(note.id);
              }}
            >
              {note.action.label}
            </Button>
          )}
          <Button
            look="ghost"
            size="sm"
            aria-label="Dismiss"
            icon={<X className="size-3.5" />}
            onClick={() => dismiss(note.id)}
          />
        </div>
      ))}
    </div>
  );
}
