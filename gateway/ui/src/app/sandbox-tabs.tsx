export { AgentFiles, AgentSandbox } from "~/domains/sandboxes/agent-tabs";
export { TeamFiles, TeamSandbox } from "~/domains/sandboxes/team-tabs";
