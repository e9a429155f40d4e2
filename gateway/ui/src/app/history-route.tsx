// What happened, everywhere it is told: the audit log, and the activity of agents, teams, machines and the workspace. They
// share their words.
export { AuditPage } from "~/domains/audit/page";
export {
  AgentActivity,
  AgentLatest,
  NodeActivity,
  TeamActivity,
  WorkspaceActivity,
} from "~/domains/activity/parts";
