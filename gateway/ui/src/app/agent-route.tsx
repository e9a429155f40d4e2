import { AgentPage } from "~/domains/agents/agent-page";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { AgentActivity, AgentLatest, output } from "./activity-parts";
import { tab } from "./arriving-tab";
import { AgentFiles, AgentSandbox } from "./sandbox-tabs";

// One chunk with the page of all connections: a browser that opens neither loads none of it.
const AgentApps = later(async () => (await import("~/domains/connections/page")).AgentApps, PartMissing);
// With the pages of teams and skills, of which it tells.
const AgentRuntime = later(async () => (await import("./work-route")).AgentRuntime, PartMissing);

const AgentWork = later(async () => (await import("./work-route")).AgentWork, PartMissing);

const LevelUps = later(async () => (await import("~/domains/levelups/part")).LevelUps, PartMissing);

/** An agent's page, with the tabs that other domains draw. */
export const AgentRoute = () => (
  <AgentPage
    activity={(claw, choice) =>
      tab("what happened", <AgentActivity id={claw.id} output={output} {...choice} />)
    }
    latest={(claw) => tab("what happened last", <AgentLatest id={claw.id} output={output} />)}
    apps={(claw) => tab("connections", <AgentApps claw={claw} />)}
    work={(claw) => tab("its work", <AgentWork claw={claw} />)}
    runtime={(claw) => tab("the runtime", <AgentRuntime claw={claw} />)}
    sandbox={(claw, sandbox) => <AgentSandbox id={claw.id} sandbox={sandbox} />}
    levelUps={(claw, opened, onOpen) =>
      tab(
        "the level-ups",
        <LevelUps
          subject={{ kind: "agent", id: claw.id, name: claw.name }}
          opened={opened}
          onOpen={onOpen}
        />,
      )
    }
    files={(claw, sandbox, choice) => <AgentFiles id={claw.id} sandbox={sandbox} {...choice} />}
  />
);
