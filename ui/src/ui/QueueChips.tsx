import { Link } from "@tanstack/react-router";

/** Queues by name, each a way there. */
export function QueueChips({ names }: { names: readonly string[] }) {
  return names.map((name) => (
    <Link
      key={name}
      to="/queues/$name"
      params={{ name }}
      className="min-w-0 rounded bg-sunken px-1.5 text-xs text-ink-2 wrap-anywhere hover:text-ink"
    >
      {name}
    </Link>
  ));
}
