import { MissionPage } from "~/domains/missions/mission-page";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { tab } from "./arriving-tab";

const MissionSandbox = later(async () => (await import("./sandbox-tabs")).MissionSandbox, PartMissing);

/** A mission's page, with the part that another domain draws. */
export const MissionRoute = () => (
  <MissionPage
    sandbox={(mission, lives) => tab("the sandbox", <MissionSandbox mission={mission} lives={lives} />)}
  />
);
