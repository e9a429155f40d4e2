import { NodePage } from "~/domains/fleet/node/page";
import { NodeActivity, output } from "./activity-parts";
import { tab } from "./arriving-tab";

/** A machine's page, with what happened there. */
export const NodeRoute = () => (
  <NodePage
    activity={(id, choice) => tab("what happened", <NodeActivity id={id} output={output} {...choice} />)}
  />
);
