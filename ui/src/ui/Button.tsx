import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { useMay } from "@/app/who";

type Look = "plain" | "primary" | "danger" | "ghost";

const LOOKS: Record<Look, string> = {
  plain: "bg-panel border-line-strong text-ink hover:bg-hover",
  primary: "bg-accent border-transparent text-on-accent hover:bg-accent-strong font-medium",
  danger: "bg-bad border-transparent text-panel hover:opacity-90 font-medium dark:text-bg",
  ghost: "border-transparent text-ink-2 hover:bg-hover hover:text-ink",
};

interface Props extends ComponentProps<"button"> {
  look?: Look;
  size?: "sm" | "md";
  icon?: ReactNode;
  busy?: boolean;
  /** The permission that it takes: whoever lacks it is not offered the button. */
  needs?: string | undefined;
}

export function Button({
  look = "plain",
  size = "md",
  icon,
  busy,
  className,
  children,
  disabled,
  needs,
  ...rest
}: Props) {
  if (!useMay(needs)) return null;
  return (
    <button
      type="button"
      className={clsx(
        "inline-flex items-center justify-center gap-1.5 rounded-[7px] border whitespace-nowrap select-none",
        "transition-colors duration-100 disabled:opacity-50",
        size === "sm" ? "h-7 text-xs" : "h-8 text-sm",
        children ? (size === "sm" ? "px-2" : "px-3") : size === "sm" ? "w-7" : "w-8",
        "[&>svg]:shrink-0",
        LOOKS[look],
        className,
      )}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export function Spinner({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={clsx("size-3.5 animate-[turn_0.8s_linear_infinite]", className)}
      aria-hidden="true"
    >
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
