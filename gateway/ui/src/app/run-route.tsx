import { RunPage } from "~/domains/runs/run-page";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { tab } from "./arriving-tab";

const Changed = later(async () => (await import("./sandbox-tabs")).ChangedBetween, PartMissing);

/** A run's page, with the changed files that another domain draws. */
export const RunRoute = () => (
  <RunPage
    changes={(owner, before, after) =>
      tab("the changed files", <Changed owner={owner} before={before} after={after} />)
    }
  />
);
