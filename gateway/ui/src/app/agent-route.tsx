import { AgentPage } from "~/domains/agents/agent-page";
import { AgentApps } from "~/domains/connections/agent-apps";

/** An agent's page, with the tab that another domain draws. */
export const AgentRoute = () => <AgentPage apps={(claw) => <AgentApps claw={claw} />} />;
