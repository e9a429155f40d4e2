import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onSignedOut } from "./api/client";
import { keys } from "./api/keys";
import { forgetPerson } from "./api/me";
import { Problem } from "./api/problem";
import { safeNext } from "./app/route-kit";
import { router } from "./app/router";
import { forgetTyped, hasTyped } from "./app/typed";
import { useHeld } from "./ui/held";
import "./ui/effects";
import "./ui/theme";
import "./ui/base.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events say what has changed, so nothing grows stale by itself.
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; only silence and the gateway's own faults are worth another try.
      retry: (count, error) =>
        error instanceof Problem && (error.status === 0 || error.status >= 502) && count < 2,
      retryDelay: (count) => 400 * 2 ** count,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// A session that ended in the middle of work: back to the same address after signing in again.
onSignedOut(() => {
  const here = router.state.location;
  if (here.pathname === "/sign-in" || client.getQueryData(keys.me) === undefined) return;
  // The person signs in above the page (`SignInAgain`).
  if (hasTyped()) return useHeld.setState({ held: true });
  const next = safeNext(here.href);
  void router.navigate({ to: "/sign-in", search: next ? { next } : {} }).then(() => forgetPerson(client));
});

router.subscribe("onResolved", ({ pathChanged }) => pathChanged && forgetTyped());

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
