// The pages of teams and what they do, in one chunk: they share their drawings and tables, and who opens one opens others.
export { AgentWork } from "~/domains/runtime/agent-work";
export { AgentRuntime } from "~/domains/runtime/agent-runtime";
export { ComparePage } from "~/domains/runs/compare-page";
export { RunRoute } from "./run-route";
export { NewTeamPage } from "~/domains/teams/new-page";
export { TeamRoute } from "./team-route";
export { SkillsPage } from "~/domains/skills/page";
export { SkillRoute } from "./skill-route";
export { TemplatesPage } from "~/domains/templates/page";
export { TemplatePage } from "~/domains/templates/template-page";
