// The tabs of sandboxes and their files, and the output of their commands, for the pages of agents and of
// teams; the part of a mission's page for its own sandbox; and the changed files of a run.
export { AgentFiles, AgentSandbox } from "~/domains/sandboxes/agent-tabs";
export { TeamFiles, TeamSandbox } from "~/domains/sandboxes/team-tabs";
export { MissionSandbox } from "~/domains/sandboxes/mission-part";
export { CommandOutput } from "~/domains/sandboxes/console/output-view";
export { ChangedBetween } from "~/domains/sandboxes/files/changed-between";
