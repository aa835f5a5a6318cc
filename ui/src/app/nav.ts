// Where one can go. Sidebar, palette and g-combinations are all drawn from this list.
import {
  Activity,
  AlarmClock,
  Boxes,
  Cpu,
  Fingerprint,
  Gauge,
  Hand,
  KeyRound,
  Layers,
  ListChecks,
  ListTree,
  type LucideIcon,
  MonitorSmartphone,
  Network,
  ScrollText,
  Settings,
  ShieldCheck,
  Skull,
  TriangleAlert,
  Users,
  Wallet,
  Waypoints,
} from "lucide-react";
import { may } from "./who";

export interface Place {
  to: string;
  name: string;
  icon: LucideIcon;
  /** After g. */
  key?: string;
  /** Words it is also found by. */
  also?: string;
  /** The permission without which it shows nothing. */
  needs?: string;
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
      { to: "/queues", name: "Queues", needs: "queues:read", icon: Layers, key: "q" },
      { to: "/jobs", name: "Jobs", needs: "jobs:search", icon: ListTree, key: "j", also: "search query" },
      {
        to: "/failures",
        name: "Failures",
        needs: "jobs:search",
        icon: TriangleAlert,
        key: "f",
        also: "errors groups",
      },
      { to: "/dead", name: "Dead letters", needs: "jobs:search", icon: Skull, key: "d" },
      {
        to: "/held",
        name: "Held",
        needs: "jobs:search",
        icon: Hand,
        key: "h",
        also: "approvals approve reject",
      },
      {
        to: "/scheduled",
        name: "Scheduled & Cron",
        needs: "schedules:read",
        icon: AlarmClock,
        key: "s",
        also: "schedules delayed recurring",
      },
      { to: "/batches", name: "Batches & chains", needs: "batch:read", icon: Boxes, key: "b" },
    ],
  },
  {
    name: "System",
    places: [
      { to: "/workers", name: "Workers", needs: "workers:read", icon: Cpu, key: "w" },
      {
        to: "/events",
        name: "Events",
        needs: "events:read",
        icon: Activity,
        key: "e",
        also: "live tail log",
      },
      {
        to: "/operations",
        name: "Operations",
        needs: "bulk:read",
        icon: ListChecks,
        key: "p",
        also: "bulk tasks",
      },
      {
        to: "/cluster",
        name: "Cluster",
        needs: "cluster:read",
        icon: Network,
        key: "c",
        also: "raft nodes consensus",
      },
      { to: "/costs", name: "Costs", icon: Wallet, later: true },
      {
        to: "/webhooks",
        name: "Webhooks",
        needs: "webhooks:read",
        icon: Waypoints,
        key: "k",
        also: "hooks deliveries",
      },
    ],
  },
  {
    name: "People",
    places: [
      { to: "/keys", name: "Keys", needs: "keys:read", icon: KeyRound, also: "api secrets access" },
      { to: "/roles", name: "Roles", needs: "roles:read", icon: ShieldCheck, also: "permissions access" },
      {
        to: "/namespaces",
        name: "Namespaces",
        needs: "namespaces:read",
        icon: Users,
        also: "tenants quotas",
      },
      {
        to: "/sessions",
        name: "Sessions",
        needs: "self:read",
        icon: MonitorSmartphone,
        also: "logins browsers",
      },
      { to: "/audit", name: "Audit", needs: "audit:read", icon: ScrollText, also: "record who did what" },
      { to: "/sso", name: "Single sign-on", needs: "sso:read", icon: Fingerprint, also: "oidc saml login" },
    ],
  },
  {
    places: [
      { to: "/settings", name: "Settings", icon: Settings, key: ",", also: "theme appearance server" },
    ],
  },
];

export const PLACES: Place[] = SECTIONS.flatMap((section) => section.places).filter((place) => !place.later);

/** Those of them that somebody has a use for. */
export const offered = (places: Place[]): Place[] =>
  places.filter((place) => place.needs === undefined || may(place.needs));
