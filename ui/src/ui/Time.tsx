import { exact, ms, relative } from "@/lib/time";
import { useNow } from "@/lib/useNow";

/** Relative, with the exact time on hover and for machines. */
export function Time({ at, className }: { at: string | number | undefined | null; className?: string }) {
  const now = useNow(1_000);
  const time = typeof at === "number" ? at : ms(at);
  if (time === undefined) return <span className={className}>–</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exact(time)} className={className}>
      {relative(time, now)}
    </time>
  );
}
