import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface Tab {
  id: string;
  label: ReactNode;
  count?: number | string | undefined;
  content: ReactNode;
}

export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[];
  value: string;
  onChange(id: string): void;
  label: string;
}) {
  // An address may name one that is not there, or not any more.
  const known = tabs.some((tab) => tab.id === value) ? value : (tabs[0]?.id ?? "");
  return (
    <Radix.Root value={known} onValueChange={onChange}>
      <Radix.List aria-label={label} className="mb-4 flex overflow-x-auto sm:gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2 text-sm sm:px-3 whitespace-nowrap text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="nums rounded-full bg-sunken px-1.5 text-2xs text-ink-2">{tab.count}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="outline-none">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
