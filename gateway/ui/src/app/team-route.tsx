import { TeamPage } from "~/domains/teams/team-page";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { output, TeamActivity } from "./activity-parts";
import { tab } from "./arriving-tab";

// A chunk that an agent's page has at once: who opens a team or its runs does not always open its sandbox.
const TeamSandbox = later(async () => (await import("./sandbox-tabs")).TeamSandbox, PartMissing);
const TeamFiles = later(async () => (await import("./sandbox-tabs")).TeamFiles, PartMissing);

const LevelUps = later(async () => (await import("~/domains/levelups/part")).LevelUps, PartMissing);

/** A team's page, with the tabs that other domains draw. */
export const TeamRoute = () => (
  <TeamPage
    activity={(team, choice) =>
      tab("what happened", <TeamActivity team={team} output={output} {...choice} />)
    }
    sandbox={(team) => tab("the sandbox", <TeamSandbox team={team} />)}
    levelUps={(team, opened, onOpen) =>
      tab(
        "the level-ups",
        <LevelUps subject={{ kind: "team", id: team.id, name: team.name }} opened={opened} onOpen={onOpen} />,
      )
    }
    files={(team, chosen) => tab("the files", <TeamFiles team={team} {...chosen} />)}
  />
);
