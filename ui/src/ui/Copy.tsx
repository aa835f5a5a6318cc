import { Check, Copy as CopyIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "./Button";

async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP from another host browsers offer no clipboard; the old way still works, if the text is
    // where the focus may go: within the dialog, if there is one.
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    const from = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    (from?.closest('[role="dialog"]') ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    from?.focus();
    return done;
  }
}

export function Copy({
  text,
  label = "Copy",
  children,
}: {
  text: string | (() => string);
  label?: string;
  children?: string;
}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    setDone(await put(typeof text === "string" ? text : text()));
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <Button
      look="ghost"
      size="sm"
      aria-label={done ? "Copied" : label}
      title={label}
      onClick={copy}
      icon={done ? <Check className="size-3.5 text-good" /> : <CopyIcon className="size-3.5" />}
    >
      {children && (done ? "Copied" : children)}
    </Button>
  );
}

/** A command to take away. */
export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start gap-1 rounded-lg border border-line bg-sunken p-1 pl-3">
      {/* A region that scrolls must be reachable by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={label}
        className="min-w-0 flex-1 overflow-x-auto py-1.5 font-mono text-xs leading-relaxed text-ink-2"
      >
        {text}
      </pre>
      <Copy text={text} label={`Copy: ${label}`} />
    </div>
  );
}
