// What this browser's user likes. Kept here only; never a key or a secret.
import { useSyncExternalStore } from "react";

export interface Settings {
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  views: { name: string; query: string }[];
}

const KEY = "corvo.settings";
const DEFAULTS: Settings = { theme: "system", density: "comfortable", views: [] };

let current = load();
const observers = new Set<() => void>();
const system = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
system?.addEventListener("change", () => apply());

function load(): Settings {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

export function change(part: Partial<Settings>): void {
  current = { ...current, ...part };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing: the choice holds until the page is closed.
  }
  apply();
}

const isDark = () => current.theme === "dark" || (current.theme === "system" && (system?.matches ?? false));

function apply(): void {
  document.documentElement.classList.toggle("dark", isDark());
  for (const observer of observers) observer();
}

const subscribe = (observer: () => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

export const useSettings = (): Settings => useSyncExternalStore(subscribe, () => current);
/** Whether it is dark now. */
export const useTheme = (): boolean => useSyncExternalStore(subscribe, isDark);
