// Who sits in front of this browser, as the server knows them, and what they may do. Offers are made by it: what
// somebody may not do has no button. The server has the last word.
import { useSyncExternalStore } from "react";

export interface Who {
  principal: string;
  role: string;
  /** The one they belong to, or `*`. */
  namespace: string;
  queue_scope: string[];
  permissions: string[];
  auth_required: boolean;
  session_id?: string;
  /** What every change must carry. */
  csrf?: string;
}

/** `out`: the server wants to know who this is. `unknown`: it has not been asked yet, or does not answer. */
export type Standing = "unknown" | "in" | "out";

const NAMESPACE = "corvo.namespace";

let who: Who | null = null;
let standing: Standing = "unknown";
let held = new Set<string>();
const observers = new Set<() => void>();

const subscribe = (observer: () => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

export function known(found: Who): void {
  if (standing === "in" && JSON.stringify(found) === JSON.stringify(who)) return;
  who = found;
  held = new Set(found.permissions);
  standing = "in";
  for (const observer of observers) observer();
}

/** The session is over, or there never was one. */
export function signedOut(): void {
  if (standing === "out") return;
  who = null;
  held = new Set();
  standing = "out";
  for (const observer of observers) observer();
}

export const csrf = (): string | undefined => who?.csrf;

/** Before the server has said who this is, everything is offered: it may be a node without keys. */
export const may = (permission: string): boolean => standing === "unknown" || held.has(permission);

export const useWho = (): Who | null => useSyncExternalStore(subscribe, () => who);
export const useStanding = (): Standing => useSyncExternalStore(subscribe, () => standing);
/** With no permission named there is nothing to ask for. */
export const useMay = (permission?: string): boolean =>
  useSyncExternalStore(subscribe, () => permission === undefined || may(permission));

// The namespace that somebody of all namespaces looks at.

export function chosenNamespace(): string | null {
  if (who?.namespace !== "*") return null;
  try {
    return sessionStorage.getItem(NAMESPACE);
  } catch {
    return null;
  }
}

/** Everything that is shown is of the other one, so the page begins anew. */
export function chooseNamespace(name: string): void {
  try {
    if (name === "default") sessionStorage.removeItem(NAMESPACE);
    else sessionStorage.setItem(NAMESPACE, name);
  } catch {
    // A browser that keeps nothing has one namespace only.
  }
  location.reload();
}
