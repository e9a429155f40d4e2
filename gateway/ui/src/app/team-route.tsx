import { TeamPage } from "~/domains/teams/team-page";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { tab } from "./arriving-tab";

// A chunk that an agent's page has at once: who opens a team or its runs does not always open its sandbox.
const TeamSandbox = later(async () => (await import("./sandbox-tabs")).TeamSandbox, PartMissing);
const TeamFiles = later(async () => (await import("./sandbox-tabs")).TeamFiles, PartMissing);

/** A team's page, with the tabs of its sandbox. */
export const TeamRoute = () => (
  <TeamPage
    sandbox={(team) => tab("the sandbox", <TeamSandbox team={team} />)}
    files={(team, chosen) => tab("the files", <TeamFiles team={team} {...chosen} />)}
  />
);
