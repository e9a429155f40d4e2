// The tabs of sandboxes and files, which the pages of agents and of teams show, in one chunk of their own.
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";

const tabs = () => import("./sandbox-tabs");

export const AgentSandbox = later(async () => (await tabs()).AgentSandbox, PartMissing);
export const AgentFiles = later(async () => (await tabs()).AgentFiles, PartMissing);
export const TeamSandbox = later(async () => (await tabs()).TeamSandbox, PartMissing);
export const TeamFiles = later(async () => (await tabs()).TeamFiles, PartMissing);
