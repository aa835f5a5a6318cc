import clsx from "clsx";

export function Progress({
  value,
  max = 100,
  label,
  tone = "accent",
}: {
  value: number;
  max?: number;
  label: string;
  tone?: "accent" | "good" | "bad";
}) {
  const percent = max > 0 ? Math.min(100, (value / max) * 100) : 0;
  const tones = { accent: "bg-accent", good: "bg-good", bad: "bg-bad" };
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.round(value)}
      className="h-1.5 overflow-hidden rounded-full bg-line"
    >
      <div
        className={clsx("h-full rounded-full transition-[width] duration-300", tones[tone])}
        style={{ width: `${percent}%` }}
      />
    </div>
  );
}
