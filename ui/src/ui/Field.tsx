import { type ReactNode, useId } from "react";

interface Props {
  label: ReactNode;
  hint?: ReactNode;
  children(id: string): ReactNode;
  className?: string;
}

export function Field({ label, hint, children, className }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-ink-2">
        {label}
      </label>
      {children(id)}
      {hint && <p className="mt-1 text-xs text-ink-3">{hint}</p>}
    </div>
  );
}

/** The key that is held for Ctrl K. */
export const CTRL = /Mac/.test(navigator.userAgent) ? "⌘" : "Ctrl";

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-[5px] border border-line-strong bg-sunken px-1 font-sans text-2xs text-ink-2">
    {children}
  </kbd>
);
