import { TeamPage } from "~/domains/teams/team-page";
import { tab } from "./arriving-tab";
import { TeamFiles, TeamSandbox } from "./sandbox-parts";

/** A team's page, with the tabs of its sandbox. */
export const TeamRoute = () => (
  <TeamPage
    sandbox={(team) => tab("the sandbox", <TeamSandbox team={team} />)}
    files={(team, choice) => tab("the files", <TeamFiles team={team} {...choice} />)}
  />
);
