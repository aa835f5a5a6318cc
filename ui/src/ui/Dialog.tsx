import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./Button";

interface Props {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
}

export function Dialog({ open, onClose, title, description, children, footer, wide }: Props) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-in bg-black/45" />
        <div className="pointer-events-none fixed inset-0 z-50 grid place-items-center p-3">
          <Radix.Content
            className={clsx(
              "panel pointer-events-auto flex max-h-[min(90dvh,56rem)] w-full animate-pop flex-col shadow-high",
              wide ? "max-w-3xl" : "max-w-lg",
            )}
            {...(description ? {} : { "aria-describedby": undefined })}
          >
            <header className="flex items-start gap-3 border-b border-line px-5 py-3.5">
              <div className="min-w-0 flex-1">
                <Radix.Title className="text-base font-semibold text-balance">{title}</Radix.Title>
                {description && (
                  <Radix.Description className="mt-0.5 text-sm text-ink-2">{description}</Radix.Description>
                )}
              </div>
              <Radix.Close asChild>
                <Button look="ghost" size="sm" aria-label="Close" icon={<X className="size-4" />} />
              </Radix.Close>
            </header>
            {children !== undefined && (
              <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
            )}
            {footer && (
              <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
                {footer}
              </footer>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}
