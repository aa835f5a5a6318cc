// JSON to read, and JSON to write.
import clsx from "clsx";
import { useEffect, useMemo, useRef, useState } from "react";
import { bytes } from "@/lib/format";
import { parseExact, tokens } from "@/lib/json";
import { troubleIn } from "@/lib/trouble";
import { Button } from "./Button";
import { Copy } from "./Copy";

const KINDS = {
  key: "json-key",
  string: "json-string",
  number: "json-number",
  word: "json-word",
  mark: "json-mark",
} as const;

/** Colouring more than this makes the page slow and nobody reads it. */
const COLOURED_MAX = 60_000;

export function JsonText({ text }: { text: string }) {
  const parts = useMemo(() => (text.length > COLOURED_MAX ? null : tokens(text)), [text]);
  if (!parts) return <>{text}</>;
  return (
    <>
      {parts.map((part, at) => (
        <span key={at} className={KINDS[part.kind]}>
          {part.text}
        </span>
      ))}
    </>
  );
}

const HEIGHTS = { small: "max-h-52", plain: "max-h-96", tall: "max-h-[40rem]" };

interface ViewProps {
  value: unknown;
  label: string;
  size?: keyof typeof HEIGHTS;
}

export function JsonView({ value, label, size = "plain" }: ViewProps) {
  const [raw, setRaw] = useState(false);
  const [all, setAll] = useState(false);
  const pretty = useMemo(() => JSON.stringify(value, null, 2) ?? "null", [value]);
  const text = raw ? JSON.stringify(value) : pretty;
  const cut = !all && text.length > 20_000;
  return (
    <div>
      <div className="flex items-center gap-1 px-1 pb-1.5 text-xs text-ink-3">
        <span className="nums flex-1">{bytes(new Blob([JSON.stringify(value) ?? ""]).size)}</span>
        <Button size="sm" look="ghost" onClick={() => setRaw(!raw)}>
          {raw ? "Pretty" : "Raw"}
        </Button>
        <Copy text={text} label={`Copy ${label}`} />
      </div>
      {/* A region that scrolls must be reachable by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={label}
        className={clsx(
          "overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs leading-relaxed",
          raw ? "break-all whitespace-pre-wrap" : "whitespace-pre",
          HEIGHTS[size],
        )}
      >
        <JsonText text={cut ? text.slice(0, 20_000) : text} />
        {cut && "…"}
      </pre>
      {cut && (
        <Button size="sm" look="ghost" className="mt-1" onClick={() => setAll(true)}>
          Show all
        </Button>
      )}
    </div>
  );
}

interface EditorProps {
  id: string;
  value: string;
  onChange(text: string): void;
  rows?: number;
}

/** A text area over its own coloured copy. Says what is wrong, and where. */
export function JsonEditor({ id, value, onChange, rows = 8 }: EditorProps) {
  const trouble = useMemo(() => (value.trim() ? troubleIn(value) : null), [value]);
  const area = useRef<HTMLTextAreaElement>(null);
  const behind = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const editor = area.current;
    if (!editor) return;
    const follow = () => {
      if (!behind.current) return;
      behind.current.scrollTop = editor.scrollTop;
      behind.current.scrollLeft = editor.scrollLeft;
    };
    editor.addEventListener("scroll", follow);
    return () => editor.removeEventListener("scroll", follow);
  }, []);
  const text = "m-0 p-3 font-mono text-xs leading-5 whitespace-pre overflow-auto";
  return (
    <div>
      <div
        className={clsx(
          "relative overflow-hidden rounded-lg border bg-sunken",
          trouble ? "border-bad" : "border-line-strong",
        )}
      >
        <pre ref={behind} aria-hidden="true" className={clsx(text, "pointer-events-none absolute inset-0")}>
          <JsonText text={`${value}\n`} />
        </pre>
        <textarea
          ref={area}
          id={id}
          rows={rows}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          value={value}
          aria-invalid={trouble !== null}
          aria-describedby={`${id}-trouble`}
          onChange={(event) => onChange(event.target.value)}
          className={clsx(
            text,
            "relative block w-full resize-y bg-transparent text-transparent caret-ink outline-none",
          )}
        />
      </div>
      <div id={`${id}-trouble`} className="mt-1 flex min-h-7 items-center gap-2 text-xs">
        {trouble ? (
          <span className="flex-1 text-bad">
            Line {trouble.line}, column {trouble.column}: {trouble.message}
          </span>
        ) : (
          <span className="flex-1 text-ink-3">{value.trim() ? "Valid JSON" : "Empty means {}"}</span>
        )}
        <Button
          size="sm"
          look="ghost"
          disabled={trouble !== null || !value.trim()}
          onClick={() => onChange(JSON.stringify(parseExact(value), null, 2))}
        >
          Format
        </Button>
      </div>
    </div>
  );
}
