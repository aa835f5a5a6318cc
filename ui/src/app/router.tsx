// Pages by address. What a page shows is in its address, so a link shows what you saw.
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { uiBase } from "@/api/client";
import { Overview } from "@/pages/Overview";
import { Failure, Skeleton } from "@/ui/Empty";
import { laterPage } from "./later";
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
    component: laterPage(() => import("@/pages/Queues")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/queues/$name",
    ...search,
    component: laterPage(() => import("@/pages/Queue")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs",
    ...search,
    component: laterPage(() => import("@/pages/Jobs")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs/$id",
    ...search,
    component: laterPage(() => import("@/pages/Job")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/failures",
    ...search,
    component: laterPage(() => import("@/pages/Failures")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/dead",
    ...search,
    component: laterPage(() => import("@/pages/Dead")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/held",
    ...search,
    component: laterPage(() => import("@/pages/Held")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/scheduled",
    ...search,
    component: laterPage(() => import("@/pages/Scheduled")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/batches",
    ...search,
    component: laterPage(() => import("@/pages/Batches")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/batches/$id",
    ...search,
    component: laterPage(() => import("@/pages/Batch")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/workers",
    ...search,
    component: laterPage(() => import("@/pages/Workers")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/worker",
    ...search,
    component: laterPage(() => import("@/pages/Worker")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/events",
    ...search,
    component: laterPage(() => import("@/pages/Events")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/operations",
    ...search,
    component: laterPage(() => import("@/pages/Operations")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/operations/$id",
    ...search,
    component: laterPage(() => import("@/pages/Operation")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/webhooks",
    ...search,
    component: laterPage(() => import("@/pages/Webhooks")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/cluster",
    ...search,
    component: laterPage(() => import("@/pages/Cluster")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/settings",
    ...search,
    component: laterPage(() => import("@/pages/Settings")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/keys",
    ...search,
    component: laterPage(() => import("@/pages/people/Keys")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/roles",
    ...search,
    component: laterPage(() => import("@/pages/people/Roles")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/namespaces",
    ...search,
    component: laterPage(() => import("@/pages/people/Namespaces")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sessions",
    ...search,
    component: laterPage(() => import("@/pages/people/Sessions")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/audit",
    ...search,
    component: laterPage(() => import("@/pages/people/Audit")),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sso",
    ...search,
    component: laterPage(() => import("@/pages/people/Sso")),
  }),
  // Where a login by the provider ends that did not work; and where somebody comes who is in already.
  createRoute({ getParentRoute: () => root, path: "/login", ...search, component: Overview }),
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

/** All that is not here yet, for the moment the node is not there to ask: that is when the pages are needed. */
export async function fetchTheRest(): Promise<void> {
  for (const route of routes) {
    const component = route.options.component as { preload?: () => Promise<unknown> } | undefined;
    await component?.preload?.();
  }
}
