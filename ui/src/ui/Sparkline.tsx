import { useId } from "react";

interface Props {
  values: number[];
  label: string;
  width?: number;
  height?: number;
  className?: string;
}

/** A small line of the last hour. The figures are next to it; this is their shape. */
export function Sparkline({ values, label, width = 96, height = 24, className = "text-accent" }: Props) {
  const id = useId();
  const top = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, at) => [at * step, height - 2 - (value / top) * (height - 4)] as const);
  const line = points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const idle = values.length < 3 || values.every((value) => value === 0);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-labelledby={id}
      className={className}
      preserveAspectRatio="none"
    >
      <title id={id}>{label}</title>
      {idle ? (
        <path
          d={`M0 ${height - 2}H${width}`}
          className="stroke-line-strong"
          strokeWidth="1"
          strokeDasharray="2 3"
        />
      ) : (
        <>
          <path d={`${line}L${width} ${height}L0 ${height}Z`} fill="currentColor" fillOpacity="0.12" />
          <path d={line} fill="none" stroke="currentColor" strokeWidth="1.500" strokeLinejoin="round" />
        </>
      )}
    </svg>
  );
}
