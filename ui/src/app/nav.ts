// Where one can go. Sidebar, palette and g-combinations are all drawn from this list.
import {
  Activity,
  AlarmClock,
  Boxes,
  Cpu,
  Gauge,
  Hand,
  KeyRound,
  Layers,
  ListChecks,
  ListTree,
  type LucideIcon,
  Network,
  ScrollText,
  Settings,
  Skull,
  TriangleAlert,
  Users,
  Wallet,
  Waypoints,
} from "lucide-react";

export interface Place {
  to: string;
  name: string;
  icon: LucideIcon;
  /** After g. */
  key?: string;
  /** Words it is also found by. */
  also?: string;
  /** Has its place here, and comes with its feature. */
  later?: boolean;
}

export interface Section {
  name?: string;
  places: Place[];
}

export const SECTIONS: Section[] = [
  { places: [{ to: "/", name: "Overview", icon: Gauge, key: "o", also: "dashboard home throughput" }] },
  {
    name: "Work",
    places: [
      { to: "/queues", name: "Queues", icon: Layers, key: "q" },
      { to: "/jobs", name: "Jobs", icon: ListTree, key: "j", also: "search query" },
      { to: "/failures", name: "Failures", icon: TriangleAlert, key: "f", also: "errors groups" },
      { to: "/dead", name: "Dead letters", icon: Skull, key: "d" },
      { to: "/held", name: "Held", icon: Hand, key: "h", also: "approvals approve reject" },
      {
        to: "/scheduled",
        name: "Scheduled & Cron",
        icon: AlarmClock,
        key: "s",
        also: "schedules delayed recurring",
      },
      { to: "/batches", name: "Batches & chains", icon: Boxes, key: "b" },
    ],
  },
  {
    name: "System",
    places: [
      { to: "/workers", name: "Workers", icon: Cpu, key: "w" },
      { to: "/events", name: "Events", icon: Activity, key: "e", also: "live tail log" },
      { to: "/operations", name: "Operations", icon: ListChecks, key: "p", also: "bulk tasks" },
      { to: "/cluster", name: "Cluster", icon: Network, key: "c", also: "raft nodes consensus" },
      { to: "/costs", name: "Costs", icon: Wallet, later: true },
      { to: "/webhooks", name: "Webhooks", icon: Waypoints, key: "k", also: "hooks deliveries" },
      { to: "/keys", name: "Keys & roles", icon: KeyRound, later: true },
      { to: "/namespaces", name: "Namespaces", icon: Users, later: true },
      { to: "/audit", name: "Audit", icon: ScrollText, later: true },
      { to: "/settings", name: "Settings", icon: Settings, key: ",", also: "theme appearance server" },
    ],
  },
];

export const PLACES: Place[] = SECTIONS.flatMap((section) => section.places).filter((place) => !place.later);
