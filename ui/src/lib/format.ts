const whole = new Intl.NumberFormat("en-US");

/** 1,234,567 */
export const number = (value: number): string => whole.format(value);

/** 12.4k, 1.2M: for places with room for a few characters; the whole number goes into the title. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return whole.format(Math.round(value));
  if (size < 1_000_000) return `${trim(value / 1_000)}k`;
  if (size < 1_000_000_000) return `${trim(value / 1_000_000)}M`;
  return `${trim(value / 1_000_000_000)}G`;
}

const trim = (value: number) =>
  value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value).toString();

/** Jobs per minute or per second, whichever reads better. */
export function rate(perMinute: number): string {
  if (perMinute <= 0) return "0/min";
  if (perMinute >= 600) return `${short(perMinute / 60)}/s`;
  return `${perMinute < 10 ? perMinute.toFixed(1).replace(/\.0$/, "") : Math.round(perMinute)}/min`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} kB`;
  return `${(value / 1024 / 1024).toFixed(1)} MB`;
}

/** What a write survives; with one node there is nobody else who has it. */
export const durability = (cluster: { raft_nosync: boolean; nodes: { voter?: boolean }[] }): string =>
  !cluster.raft_nosync
    ? "fsync per entry"
    : cluster.nodes.filter((node) => node.voter !== false).length > 1
      ? "by quorum"
      : "until a power cut";

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** As much of a long text as fits; the whole of it is elsewhere. */
export const clip = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** The end of an id is what tells jobs of one moment apart; the beginning is the same for all. */
export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id);
