// One line that says which jobs are meant, with completion from what is really there.
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleAlert, Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { queuesQuery, workersQuery } from "@/api/queries";
import type { JobRow } from "@/api/types";
import { type Completion, complete, type Known, pathsOf } from "@/query/complete";
import { parse, QueryRefused } from "@/query/parse";
import { Button } from "@/ui/Button";

interface Props {
  value: string;
  onSearch(query: string): void;
  /** Jobs on the page: their tags and payloads can be asked for. */
  rows?: JobRow[];
  placeholder?: string;
}

export function QueryBar({ value, onSearch, rows = [], placeholder }: Props) {
  const [text, setText] = useState(value);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [caret, setCaret] = useState(value.length);
  const input = useRef<HTMLInputElement>(null);
  /** Where the caret belongs once the text is there; before the next key, or fast typists lose their place. */
  const placed = useRef<number | null>(null);
  const id = useId();
  useEffect(() => setText(value), [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what moves the caret
  useLayoutEffect(() => {
    if (placed.current !== null) input.current?.setSelectionRange(placed.current, placed.current);
    placed.current = null;
  }, [text]);

  const known = useKnown(rows);
  const completion: Completion = useMemo(() => complete(text, caret, known), [text, caret, known]);
  const refusal = useMemo(() => {
    try {
      parse(text, Date.now());
      return null;
    } catch (error) {
      return error instanceof QueryRefused ? error : null;
    }
  }, [text]);
  const shown = open && completion.suggestions.length > 0;

  const submit = () => {
    setOpen(false);
    if (!refusal) onSearch(text.trim());
  };
  const accept = (at: number) => {
    const suggestion = completion.suggestions[at];
    if (!suggestion) return;
    const more = /[:~><.=]$/.test(suggestion.insert) || suggestion.insert.startsWith("payload.") ? "" : " ";
    const before = text.slice(0, completion.from) + suggestion.insert + more;
    const next = before + text.slice(caret).replace(/^\s+/, "");
    setText(next);
    setCaret(before.length);
    setChosen(-1);
    placed.current = before.length;
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const count = completion.suggestions.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setChosen((at) => Math.max(-1, Math.min(count - 1, at + step)));
    } else if (event.key === "Tab" && shown && !event.shiftKey) {
      event.preventDefault();
      accept(Math.max(0, chosen));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (shown && chosen >= 0) accept(chosen);
      else submit();
    } else if (event.key === "Escape") {
      if (shown) setOpen(false);
      else input.current?.blur();
      event.stopPropagation();
    }
  };

  return (
    <div className="relative min-w-0 flex-1 basis-64">
      <div className="relative">
        <Search
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-3"
          aria-hidden="true"
        />
        <input
          ref={input}
          data-query-bar
          role="combobox"
          aria-label="Query"
          aria-expanded={shown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown && chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={refusal !== null && !open}
          aria-describedby={`${id}-refusal`}
          className="field h-9 pr-9 pl-9 font-mono text-xs"
          placeholder={placeholder ?? 'state:dead error~"timeout" age<1h'}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onFocus={() => setOpen(true)}
          onBlur={() => setTimeout(() => setOpen(false), 120)}
          onChange={(event) => {
            setText(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
            setChosen(-1);
            setOpen(true);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onKeyDown={press}
        />
        {text && (
          <Button
            look="ghost"
            size="sm"
            className="absolute top-1 right-1"
            aria-label="Clear the query"
            icon={<X className="size-3.5" />}
            onClick={() => {
              setText("");
              onSearch("");
              input.current?.focus();
            }}
          />
        )}
      </div>
      <p
        id={`${id}-refusal`}
        className={clsx("flex items-center gap-1.5 text-xs text-bad", refusal && !open ? "mt-1" : "sr-only")}
        role="status"
      >
        {refusal && !open && (
          <>
            <CircleAlert className="size-3.5 shrink-0" aria-hidden="true" />
            {refusal.message}
          </>
        )}
      </p>
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        hidden={!shown}
        className="panel absolute top-full left-0 z-20 mt-1 max-h-80 w-full max-w-xl overflow-y-auto p-1 shadow-high"
      >
        {completion.suggestions.map((suggestion, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard
          <li
            key={suggestion.label}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            tabIndex={-1}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(at)}
            className={clsx(
              "flex h-8 cursor-pointer items-center gap-3 rounded-[6px] px-2.5",
              at === chosen ? "bg-accent-soft" : "hover:bg-hover",
            )}
          >
            <span className="font-mono text-xs">{suggestion.label}</span>
            {suggestion.hint && (
              <span className="ml-auto truncate text-xs text-ink-3">{suggestion.hint}</span>
            )}
          </li>
        ))}
        <li
          role="presentation"
          className="mt-1 flex gap-3 border-t border-line px-2.5 pt-1.5 pb-0.5 text-2xs text-ink-3"
        >
          <span>↑↓ choose</span>
          <span>Tab complete</span>
          <span>Enter search</span>
        </li>
      </ul>
    </div>
  );
}

function useKnown(rows: JobRow[]): Known {
  const { data: queues } = useQuery(queuesQuery);
  const { data: workers } = useQuery(workersQuery);
  return useMemo(() => {
    const tags = new Map<string, Set<string>>();
    for (const row of rows)
      for (const [key, value] of Object.entries(row.tags ?? {}))
        tags.set(key, (tags.get(key) ?? new Set()).add(value));
    return {
      queues: queues?.map((queue) => queue.name) ?? [],
      workers: workers?.map((worker) => worker.id) ?? [],
      tags,
      paths: pathsOf(rows.slice(0, 50).map((row) => row.payload)),
    };
  }, [queues, workers, rows]);
}
