import { lazy, Suspense } from "react";
import { AgentPage } from "~/domains/agents/agent-page";
import { Loading } from "~/ui/skeleton";

// One chunk with the page of all connections: whoever opens neither loads none of it.
const AgentApps = lazy(() =>
  import("~/domains/connections/page").then((part) => ({ default: part.AgentApps })),
);

/** An agent's page, with the tab that another domain draws. */
export const AgentRoute = () => (
  <AgentPage
    apps={(claw) => (
      <Suspense fallback={<Loading what="connections" rows={2} />}>
        <AgentApps claw={claw} />
      </Suspense>
    )}
  />
);
