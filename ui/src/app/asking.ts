// Which of the page-wide dialogs is open. One at a time.
import { useSyncExternalStore } from "react";
import type { Job } from "@/api/types";

export type Asked =
  | { kind: "palette" }
  | { kind: "shortcuts" }
  | { kind: "enqueue"; like?: Job; queue?: string };

let current: Asked | null = null;
const observers = new Set<() => void>();

export function ask(next: Asked | null): void {
  current = next;
  for (const observer of observers) observer();
}

export const useAsked = (): Asked | null =>
  useSyncExternalStore(
    (observer) => {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    () => current,
  );
