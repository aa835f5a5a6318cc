// Everything by typing: pages, queues, a job by its id, a search, an action.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command, defaultFilter } from "cmdk";
import { Bookmark, Boxes, Hash, Keyboard, Layers, Moon, Plus, Search, Sun } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { queuesQuery } from "@/api/queries";
import { Kbd } from "@/ui/Field";
import { ask } from "./asking";
import { offered, PLACES } from "./nav";
import { change, useSettings, useTheme } from "./settings";
import { may } from "./who";

const QUEUES_MAX = 50;
/** Offered for whatever is typed. */
const SEARCH = "search-jobs";
const OPEN = "open-by-id";
/** Below this what is typed has little but letters in common with it. */
const SCORE_MIN = 0.1;

function score(value: string, typed: string): number {
  if (value === OPEN || value === SEARCH) return 1;
  const found = defaultFilter(value, typed);
  return found < SCORE_MIN ? 0 : found;
}

export default function Palette() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const { data: queues } = useQuery(queuesQuery);
  const { views } = useSettings();
  const dark = useTheme();
  const close = () => ask(null);
  const go = (
    to: string,
    rest: { params?: Record<string, string>; search?: Record<string, string> } = {},
  ) => {
    close();
    void navigate({ to, ...rest } as never);
  };
  const typed = text.trim();
  // The list is filtered by what is typed anyway; this keeps it short where there are thousands of queues.
  const named =
    queues?.filter((queue) => queue.name.toLowerCase().includes(typed.toLowerCase())).slice(0, QUEUES_MAX) ??
    [];
  const looksLikeId = /^(s\d+_)?job_[0-9A-Za-z]{8,}$/.test(typed);
  const looksLikeBatch = /^(s\d+_)?batch_[0-9A-Za-z]{8,}$/.test(typed);
  // Groups stay in the order they are written in, so what fits best is written first.
  const certain = looksLikeId || looksLikeBatch || (/[:=<>~"]/.test(typed) && !named.length);
  const search = typed && (
    <Group name="Search">
      {looksLikeId && (
        <Item value={OPEN} icon={<Hash />} onSelect={() => go("/jobs/$id", { params: { id: typed } })}>
          Open job <span className="font-mono text-xs">{typed}</span>
        </Item>
      )}
      {looksLikeBatch && (
        <Item value={OPEN} icon={<Boxes />} onSelect={() => go("/batches/$id", { params: { id: typed } })}>
          Open batch <span className="font-mono text-xs">{typed}</span>
        </Item>
      )}
      <Item value={SEARCH} icon={<Search />} onSelect={() => go("/jobs", { search: { q: typed } })}>
        Search jobs for <span className="font-mono text-xs">{typed}</span>
      </Item>
    </Group>
  );
  return (
    <Radix.Root open onOpenChange={(open) => !open && close()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-in bg-black/45" />
        <Radix.Content
          aria-describedby={undefined}
          className="panel fixed inset-x-3 top-[12vh] z-50 mx-auto max-w-xl animate-pop overflow-hidden shadow-high"
        >
          <Radix.Title className="sr-only">Search or go to</Radix.Title>
          <Command label="Search or go to" loop filter={score}>
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search className="size-4 shrink-0 text-ink-3" aria-hidden="true" />
              <Command.Input
                value={text}
                onValueChange={setText}
                placeholder="A page, a queue, a job's id, or a query…"
                className="h-12 w-full bg-transparent text-base outline-none"
              />
            </div>
            <Command.List className="max-h-[min(60vh,26rem)] overflow-y-auto p-1.5">
              {certain && search}
              <Group name="Go to">
                {offered(PLACES).map(({ to, name, icon: Icon, key, also }) => (
                  <Item
                    key={to}
                    value={`${name} ${also ?? ""}`}
                    icon={<Icon />}
                    onSelect={() => go(to)}
                    keys={key ? ["g", key] : []}
                  >
                    {name}
                  </Item>
                ))}
              </Group>
              <Group name="Do">
                {may("enqueue:write") && (
                  <Item
                    value="enqueue a job new"
                    icon={<Plus />}
                    onSelect={() => ask({ kind: "enqueue" })}
                    keys={["n"]}
                  >
                    Enqueue a job
                  </Item>
                )}
                <Item
                  value="theme dark light"
                  icon={dark ? <Sun /> : <Moon />}
                  onSelect={() => change({ theme: dark ? "light" : "dark" })}
                >
                  {dark ? "Light theme" : "Dark theme"}
                </Item>
                <Item
                  value="keyboard shortcuts help"
                  icon={<Keyboard />}
                  onSelect={() => ask({ kind: "shortcuts" })}
                  keys={["?"]}
                >
                  Keyboard shortcuts
                </Item>
              </Group>
              {views.length > 0 && (
                <Group name="Views">
                  {views.map((view) => (
                    <Item
                      key={view.name}
                      value={`view ${view.name}`}
                      icon={<Bookmark />}
                      onSelect={() => go("/jobs", { search: { q: view.query } })}
                    >
                      {view.name}
                    </Item>
                  ))}
                </Group>
              )}
              <Group name="Queues">
                {named.map((queue) => (
                  <Item
                    key={queue.name}
                    value={`queue ${queue.name}`}
                    icon={<Layers />}
                    onSelect={() => go("/queues/$name", { params: { name: queue.name } })}
                  >
                    {queue.name}
                  </Item>
                ))}
              </Group>
              {!certain && search}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const Group = ({ name, children }: { name: string; children: ReactNode }) => (
  <Command.Group
    heading={name}
    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3"
  >
    {children}
  </Command.Group>
);

interface ItemProps {
  value: string;
  icon: ReactNode;
  children: ReactNode;
  keys?: string[];
  onSelect(): void;
}

function Item({ value, icon, children, keys = [], onSelect }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-2.5 rounded-[7px] px-2.5 text-sm data-[selected=true]:bg-accent-soft"
    >
      <span className="text-ink-3 [&>svg]:size-4" aria-hidden="true">
        {icon}
      </span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <span className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </Command.Item>
  );
}
