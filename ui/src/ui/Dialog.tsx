import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, useRef } from "react";
import { Button } from "./Button";
import { TOASTS } from "./Toast";

const FIELDS = "form :is(input:not([type=checkbox]), select, textarea)";

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
  /** Something was typed: a click beside the dialog must not throw it away. */
  const typed = useRef(false);
  // Enter in a field does what the last button says, if that can be pressed.
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    const buttons = event.currentTarget.querySelectorAll<HTMLButtonElement>(":scope > footer > button");
    [...buttons].at(-1)?.click();
  };
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
            onOpenAutoFocus={(event) => {
              typed.current = false;
              // What is asked for first has the focus; without a field it is the way out.
              const fields = (event.target as Element).querySelectorAll<HTMLElement>(FIELDS);
              const first = [...fields].find((field) => field.offsetParent !== null);
              if (!first) return;
              event.preventDefault();
              first.focus();
            }}
            onInput={() => {
              typed.current = true;
            }}
            onInteractOutside={(event) => {
              const told = event.target instanceof Element && event.target.closest(`#${TOASTS}`);
              if (typed.current || told) event.preventDefault();
            }}
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
            <form className="contents" onSubmit={submit}>
              {children !== undefined && (
                <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
              )}
              {footer && (
                <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
                  {footer}
                </footer>
              )}
              {/* Without a button of its kind a form of several fields does not hear of Enter. */}
              <button type="submit" hidden />
            </form>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}
