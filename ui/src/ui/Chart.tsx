// Lines over time, drawn by uPlot on a canvas. Dragging over it chooses a stretch of time.
import { useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import { useTheme } from "@/app/settings";
import { number } from "@/lib/format";
import { clock } from "@/lib/time";

export interface Series {
  label: string;
  colour: string;
  values: number[];
  dash?: number[];
}

interface Props {
  /** Seconds since 1970. */
  times: number[];
  series: Series[];
  height?: number;
  label: string;
  onRange?: (fromMs: number, toMs: number) => void;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function Chart({ times, series, height = 200, label, onRange }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const range = useRef(onRange);
  range.current = onRange;
  const dark = useTheme();
  const data = useMemo<uPlot.AlignedData>(
    () => [times, ...series.map((each) => each.values)],
    [times, series],
  );
  const latest = useRef(data);
  latest.current = data;
  const shape = series.map((each) => each.label + each.colour).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew only when its shape or the theme changes
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const axis: uPlot.Axis = {
      stroke: css("--ink-3"),
      grid: { stroke: css("--line"), width: 1 },
      ticks: { show: false },
      font: '11px "Geist", sans-serif',
    };
    const chart = new uPlot(
      {
        width: element.clientWidth || 600,
        height,
        legend: { show: false },
        // Room for half of the last time below it.
        padding: [8, 18, 0, 0],
        cursor: {
          y: false,
          points: { size: 6 },
          drag: { x: onRange !== undefined, y: false, setScale: false },
        },
        scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 80,
            size: 30,
            values: (_, ticks) => ticks.map((tick) => clock(tick * 1_000).slice(0, 5)),
          },
          { ...axis, size: 48, space: 36, values: (_, ticks) => ticks.map((tick) => number(tick)) },
        ],
        series: [
          {},
          ...series.map((each, at) => ({
            label: each.label,
            stroke: css(each.colour),
            width: 1.75,
            ...(each.dash ? { dash: each.dash } : {}),
            ...(at === 0 ? { fill: `color-mix(in srgb, ${css(each.colour)} 10%, transparent)` } : {}),
            points: { show: false },
          })),
        ],
        hooks: {
          setCursor: [(self) => showTip(self, tip.current)],
          setSelect: [
            (self) => {
              if (!range.current || self.select.width < 4) return;
              const from = self.posToVal(self.select.left, "x");
              const to = self.posToVal(self.select.left + self.select.width, "x");
              range.current(from * 1_000, to * 1_000);
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      latest.current,
      element,
    );
    plot.current = chart;
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [shape, height, dark, onRange !== undefined]);

  useEffect(() => plot.current?.setData(data), [data]);

  return (
    <figure className="relative" aria-label={label}>
      <div ref={host} className="w-full overflow-hidden" />
      <div
        ref={tip}
        hidden
        className="panel pointer-events-none absolute top-1 z-10 px-2.5 py-1.5 text-xs shadow-high"
      />
      <figcaption className="sr-only">
        {series
          .map((each) => `${each.label}: ${each.values.reduce((sum, value) => sum + value, 0)} in all`)
          .join("; ")}
      </figcaption>
    </figure>
  );
}

function showTip(chart: uPlot, tip: HTMLDivElement | null): void {
  if (!tip) return;
  const at = chart.cursor.idx;
  if (at === null || at === undefined || (chart.cursor.left ?? -1) < 0) {
    tip.hidden = true;
    return;
  }
  tip.hidden = false;
  const rows = chart.series.slice(1).map((each, index) => {
    const row = document.createElement("div");
    row.className = "flex items-center gap-2 whitespace-nowrap";
    const dot = document.createElement("span");
    dot.className = "size-2 rounded-full";
    dot.style.background = String(
      typeof each.stroke === "function" ? each.stroke(chart, index + 1) : each.stroke,
    );
    const text = document.createElement("span");
    text.textContent = `${each.label} ${number(chart.data[index + 1]?.[at] ?? 0)}`;
    row.append(dot, text);
    return row;
  });
  const time = document.createElement("div");
  time.className = "mb-0.5 text-ink-3 nums";
  const times = chart.data[0] ?? [];
  time.textContent = at === times.length - 1 ? "last 60 s" : clock((times[at] ?? 0) * 1_000).slice(0, 5);
  tip.replaceChildren(time, ...rows);
  const left = (chart.cursor.left ?? 0) + chart.bbox.left / devicePixelRatio;
  const room = chart.width - tip.offsetWidth - 8;
  tip.style.left = `${Math.min(Math.max(0, left + 12), Math.max(0, room))}px`;
}

export function Legend({ series }: { series: Pick<Series, "label" | "colour" | "dash">[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
      {series.map((each) => (
        <li key={each.label} className="flex items-center gap-1.5">
          <svg width="14" height="2" aria-hidden="true">
            <path
              d="M0 1h14"
              stroke={`var(${each.colour})`}
              strokeWidth="2"
              strokeDasharray={each.dash?.join(" ")}
            />
          </svg>
          {each.label}
        </li>
      ))}
    </ul>
  );
}
