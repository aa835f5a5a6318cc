import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { Gate } from "./app/Gate";
import { watchSequences } from "./app/hotkeys";
import { fetchTheRest, router } from "./app/router";
import { LiveProvider } from "./live/LiveProvider";
import "./styles.css";
import { TipProvider } from "./ui/Tip";

/** Long after the first page is there. */
const REST_AFTER_MS = 5_000;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      // What the server refused it will refuse again.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Gate>
        <LiveProvider>
          <TipProvider>
            <RouterProvider router={router} />
          </TipProvider>
        </LiveProvider>
      </Gate>
    </QueryClientProvider>
  </StrictMode>,
);
watchSequences();
setTimeout(fetchTheRest, REST_AFTER_MS);
// If the node was updated while this page was open, the files it was built of are gone: load the new ones.
// A node that merely does not answer must not cost the reader the page.
addEventListener("vite:preloadError", async () => {
  const own = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute("src");
  const page = await fetch(document.baseURI, { cache: "no-store" }).then(
    (reply) => (reply.ok ? reply.text() : null),
    () => null,
  );
  if (page !== null && own && !page.includes(own)) location.reload();
});
