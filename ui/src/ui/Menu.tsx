import clsx from "clsx";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useMay } from "@/app/who";

export function Menu({
  trigger,
  children,
  align = "end",
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          className="panel z-50 min-w-48 animate-pop p-1 shadow-high"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ItemProps {
  icon?: ReactNode;
  children: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  hint?: ReactNode;
  /** The permission that it takes: whoever lacks it is not offered the item. */
  needs?: string;
  onSelect(): void;
}

export function MenuItem({ icon, children, danger, disabled, hint, needs, onSelect }: ItemProps) {
  if (!useMay(needs)) return null;
  return (
    <Radix.Item
      disabled={disabled ?? false}
      onSelect={onSelect}
      className={clsx(
        "flex h-8 cursor-pointer items-center gap-2 rounded-[6px] px-2 text-sm outline-none select-none",
        "data-[highlighted]:bg-hover data-[disabled]:cursor-not-allowed data-[disabled]:text-ink-3",
        danger ? "text-bad" : "text-ink",
      )}
    >
      <span className="grid size-4 place-items-center text-ink-3 [&>svg]:size-4">{icon}</span>
      <span className="flex-1">{children}</span>
      {hint && <span className="text-xs text-ink-3">{hint}</span>}
    </Radix.Item>
  );
}

export const MenuLine = () => <Radix.Separator className="my-1 h-px bg-line" />;
export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="px-2 py-1 text-2xs font-medium text-ink-3">{children}</Radix.Label>
);
