// The pages that are one long list, in one chunk: they share their filters, their tables and what is done to many rows.
export { AgentsPage } from "~/domains/agents/page";
export { FleetPage } from "~/domains/fleet/page";
export { RunsPage } from "~/domains/runs/page";
export { TeamsPage } from "~/domains/teams/page";
