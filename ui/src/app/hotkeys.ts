// Keys without a modifier, as long as nobody is typing. Two in a row, such as "g q", are one.
import { useEffect, useRef } from "react";

type Keys = Record<string, (event: KeyboardEvent) => void>;

const SEQUENCE_MS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    (target as HTMLInputElement).type !== "checkbox"
  );
}

/** When g was pressed, and whether the key under way is the one after it. */
let armedAt = Number.NEGATIVE_INFINITY;
let afterG = false;

export function useHotkeys(keys: Keys, enabled = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!enabled) return;
    const handle = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      // What has the focus is what Enter is for.
      if (
        event.key === "Enter" &&
        event.target instanceof Element &&
        event.target.closest("a, button, summary")
      )
        return;
      // A dialog or a menu has the keyboard for itself.
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      const run = latest.current[afterG ? `g ${event.key}` : event.key];
      if (run) {
        event.preventDefault();
        run(event);
      }
    };
    addEventListener("keydown", handle);
    return () => removeEventListener("keydown", handle);
  }, [enabled]);
}

/** Remembers the first key of two; hears of keys before anybody else does. */
export function watchSequences(): void {
  addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      afterG = event.timeStamp - armedAt < SEQUENCE_MS;
      armedAt = event.key === "g" && !afterG ? event.timeStamp : Number.NEGATIVE_INFINITY;
    },
    true,
  );
}
