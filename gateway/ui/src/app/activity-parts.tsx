// What happened on a page, for the routes that show it. The parts arrive when they are needed.
import type { Owner } from "~/api/sandboxes";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { tab } from "./arriving-tab";

export const AgentActivity = later(async () => (await import("./history-route")).AgentActivity, PartMissing);
export const AgentLatest = later(async () => (await import("./history-route")).AgentLatest, PartMissing);
export const TeamActivity = later(async () => (await import("./history-route")).TeamActivity, PartMissing);
export const NodeActivity = later(async () => (await import("./history-route")).NodeActivity, PartMissing);
export const WorkspaceActivity = later(
  async () => (await import("./history-route")).WorkspaceActivity,
  PartMissing,
);

const Output = later(async () => (await import("./sandbox-tabs")).CommandOutput, PartMissing);

/** What a command wrote: the console has the terminal that draws it. */
export const output = (owner: Owner, op: string) => tab("the output", <Output owner={owner} op={op} />);
