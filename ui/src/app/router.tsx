// Pages by address. What a page shows is in its address, so a link shows what you saw.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { uiBase } from "@/api/client";
import { Overview } from "@/pages/Overview";
import { Failure, Skeleton } from "@/ui/Empty";
import { NotFound } from "./NotFound";
import { Shell } from "./Shell";

export type Search = Record<string, string | undefined>;

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const search = { validateSearch: (found: Record<string, unknown>): Search => found as Search };

const routes = [
  createRoute({ getParentRoute: () => root, path: "/", component: Overview }),
  createRoute({
    getParentRoute: () => root,
    path: "/queues",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Queues")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/queues/$name",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Queue")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Jobs")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs/$id",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Job")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/failures",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Failures")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/dead",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Dead")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/held",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Held")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/scheduled",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Scheduled")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/batches",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Batches")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/batches/$id",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Batch")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workers",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Workers")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/worker",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Worker")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/events",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Events")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/operations",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Operations")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/operations/$id",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Operation")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/webhooks",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Webhooks")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/cluster",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Cluster")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    ...search,
    component: lazyRouteComponent(() => import("@/pages/Settings")),
  }),
] as const;

/** Plain text in, plain text out: a query with quotes in it stays readable in the address. */
const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));
const stringifySearch = (found: Record<string, unknown>): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(found))
    if (value !== undefined && value !== "") params.set(name, String(value));
  const text = params.toString();
  return text ? `?${text}` : "";
};

export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  basepath: uiBase,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: () => <Skeleton rows={8} />,
  defaultPendingMs: 300,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});
