// The pages that are one long list, in one chunk: they share their filters, their tables and what is done to many rows. The
// page of a mission shares its words and its lines of phases with the list of missions.
export { AgentsPage } from "~/domains/agents/page";
export { FleetPage } from "~/domains/fleet/page";
export { MissionRoute } from "./mission-route";
export { NewMissionPage } from "./mission-parts";
export { WorldPage } from "~/domains/missions/world-page";
export { MissionsPage } from "~/domains/missions/page";
export { RoutinesPage } from "~/domains/routines/page";
export { RunsPage } from "~/domains/runs/page";
export { TeamsPage } from "~/domains/teams/page";
