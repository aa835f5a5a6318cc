import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Plus, Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useEffect, useState } from "react";
import { Button } from "@/ui/Button";
import { CTRL, Kbd } from "@/ui/Field";
import { Toasts } from "@/ui/Toast";
import { ask, useAsked } from "./asking";
import { Banner } from "./Banner";
import { useHotkeys } from "./hotkeys";
import { LiveBadge } from "./LiveBadge";
import { laterDialog } from "./later";
import { offered, PLACES } from "./nav";
import { Sidebar } from "./Sidebar";
import { may } from "./who";

const Palette = laterDialog(() => import("./Palette"));
const Shortcuts = laterDialog(() => import("./Shortcuts"));
const EnqueueDialog = laterDialog(() => import("./EnqueueDialog"));

export function Shell() {
  const navigate = useNavigate();
  const [drawer, setDrawer] = useState(false);
  const asked = useAsked();

  useHotkeys({
    ...Object.fromEntries(
      offered(PLACES)
        .filter((place) => place.key)
        .map((place) => [`g ${place.key}`, () => navigate({ to: place.to })]),
    ),
    "?": () => ask({ kind: "shortcuts" }),
    n: () => may("enqueue:write") && ask({ kind: "enqueue" }),
    "/": () => {
      const bar = document.querySelector<HTMLInputElement>("[data-query-bar]");
      if (bar) bar.focus();
      else ask({ kind: "palette" });
    },
  });
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        // What is being written in a dialog would be lost.
        if (!document.querySelector('[role="dialog"]')) ask({ kind: "palette" });
      }
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  useTitleFocus();
  useEffect(() => {
    // So that they are there when their keys are pressed, whether or not the node answers then.
    const timer = setTimeout(async () => {
      for (const dialog of [Palette, EnqueueDialog, Shortcuts]) await dialog.preload();
    }, 1_500);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className="flex min-h-dvh">
      <button
        type="button"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={() => document.getElementById("content")?.focus()}
      >
        Skip to the content
      </button>
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 border-r border-line lg:block">
        <Sidebar />
      </aside>
      <Radix.Root open={drawer} onOpenChange={setDrawer}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 animate-in bg-black/45 lg:hidden" />
          <Radix.Content
            aria-describedby={undefined}
            className="fixed inset-y-0 left-0 z-50 w-64 max-w-[85vw] animate-slide shadow-high lg:hidden"
          >
            <Radix.Title className="sr-only">Pages</Radix.Title>
            <Sidebar onNavigate={() => setDrawer(false)} />
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-30 border-b border-line bg-bg">
          <div className="mx-auto flex h-14 max-w-[140rem] items-center gap-2 px-3 sm:px-6">
            <Button
              look="ghost"
              className="lg:hidden"
              aria-label="Open the navigation"
              icon={<MenuIcon className="size-5" />}
              onClick={() => setDrawer(true)}
            />
            <button
              type="button"
              onClick={() => ask({ kind: "palette" })}
              className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-[7px] border border-line bg-panel px-2.5 text-sm text-ink-3 hover:border-line-strong sm:max-w-sm"
            >
              <Search className="size-3.5 shrink-0" aria-hidden="true" />
              <span className="flex-1 truncate text-left">Search or go to…</span>
              <span className="hidden gap-1 sm:flex" aria-hidden="true">
                <Kbd>{CTRL}</Kbd>
                <Kbd>K</Kbd>
              </span>
            </button>
            <div className="ml-auto flex items-center gap-2">
              <LiveBadge />
              <Button
                needs="enqueue:write"
                look="primary"
                icon={<Plus className="size-4" />}
                aria-label="Enqueue a job"
                onClick={() => ask({ kind: "enqueue" })}
              >
                <span className="max-sm:hidden">Enqueue</span>
              </Button>
            </div>
          </div>
          <Banner />
        </header>
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[140rem] flex-1 px-3 py-5 outline-none sm:px-6"
        >
          <Outlet />
        </main>
      </div>
      <Toasts />
      {asked?.kind === "palette" && <Palette />}
      {asked?.kind === "shortcuts" && <Shortcuts />}
      {asked?.kind === "enqueue" && (
        <EnqueueDialog
          {...(asked.like ? { like: asked.like } : {})}
          {...(asked.queue ? { queue: asked.queue } : {})}
        />
      )}
    </div>
  );
}

/** After going to another page the keyboard and the screen reader are at its beginning. */
function useTitleFocus(): void {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [first, setFirst] = useState(path);
  useEffect(() => {
    if (path === first) return;
    setFirst(path);
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path, first]);
}
