import { lazy, Suspense, type ReactNode } from "react";
import { AgentPage } from "~/domains/agents/agent-page";
import { Loading } from "~/ui/skeleton";

// One chunk with the page of all connections: whoever opens neither loads none of it.
const AgentApps = lazy(() =>
  import("~/domains/connections/page").then((part) => ({ default: part.AgentApps })),
);
// With the pages of teams and skills, of which it tells.
const AgentRuntime = lazy(() => import("./work-route").then((part) => ({ default: part.AgentRuntime })));

const later = (what: string, part: ReactNode) => (
  <Suspense fallback={<Loading what={what} rows={2} />}>{part}</Suspense>
);

/** An agent's page, with the tabs that other domains draw. */
export const AgentRoute = () => (
  <AgentPage
    apps={(claw) => later("connections", <AgentApps claw={claw} />)}
    runtime={(claw) => later("the runtime", <AgentRuntime claw={claw} />)}
  />
);
