// The addresses of teams and what they do.
import { createRoute } from "@tanstack/react-router";
import { shell } from "./root-routes";
import { only, page } from "./route-kit";

type Work =
  | "ComparePage"
  | "RunRoute"
  | "NewTeamPage"
  | "TeamRoute"
  | "SkillsPage"
  | "SkillRoute"
  | "TemplatesPage"
  | "TemplatePage";
const work = (name: Work) => page(() => import("./work-route"), name);
type Listed =
  | "WorldPage"
  | "AgentsPage"
  | "FleetPage"
  | "MissionsPage"
  | "NewMissionPage"
  | "MissionRoute"
  | "RoutinesPage"
  | "RunsPage"
  | "TeamsPage";
export const list = (name: Listed) => page(() => import("./lists-route"), name);
export const missions = createRoute({
  getParentRoute: () => shell,
  path: "/missions",
  validateSearch: only("q", "state", "sort", "view"),
  component: list("MissionsPage"),
});
export const newMission = createRoute({
  getParentRoute: () => shell,
  path: "/missions/new",
  component: list("NewMissionPage"),
});
export const oneMission = createRoute({
  getParentRoute: () => shell,
  path: "/missions/$id",
  validateSearch: only("phase", "artifact", "shell"),
  component: list("MissionRoute"),
});
export const world = createRoute({
  getParentRoute: () => shell,
  path: "/world",
  component: list("WorldPage"),
});
type Scheduled = "NewRoutinePage" | "RoutinePage";
const scheduled = (name: Scheduled) => page(() => import("./routines-route"), name);
export const routines = createRoute({
  getParentRoute: () => shell,
  path: "/routines",
  validateSearch: only("q", "sort"),
  component: list("RoutinesPage"),
});
export const newRoutine = createRoute({
  getParentRoute: () => shell,
  path: "/routines/new",
  component: scheduled("NewRoutinePage"),
});
export const oneRoutine = createRoute({
  getParentRoute: () => shell,
  path: "/routines/$id",
  component: scheduled("RoutinePage"),
});
export const runs = createRoute({
  getParentRoute: () => shell,
  path: "/runs",
  validateSearch: only(
    "q",
    "state",
    "outcome",
    "team",
    "by",
    "mission",
    "template",
    "model",
    "day",
    "when",
    "from",
    "until",
    "sort",
    "shown",
  ),
  component: list("RunsPage"),
});
export const compare = createRoute({
  getParentRoute: () => shell,
  path: "/runs/compare",
  validateSearch: only("run"),
  component: work("ComparePage"),
});
export const run = createRoute({
  getParentRoute: () => shell,
  path: "/runs/$id",
  component: work("RunRoute"),
});
export const teams = createRoute({
  getParentRoute: () => shell,
  path: "/teams",
  validateSearch: only("q", "sort"),
  component: list("TeamsPage"),
});
export const newTeam = createRoute({
  getParentRoute: () => shell,
  path: "/teams/new",
  validateSearch: only("template"),
  component: work("NewTeamPage"),
});
export const team = createRoute({
  getParentRoute: () => shell,
  path: "/teams/$id",
  validateSearch: only("tab", "show", "snapshot", "path", "before", "proposal", "shell"),
  component: work("TeamRoute"),
});
export const skills = createRoute({
  getParentRoute: () => shell,
  path: "/skills",
  validateSearch: only("q", "tag", "dialog", "sort"),
  component: work("SkillsPage"),
});
export const skill = createRoute({
  getParentRoute: () => shell,
  path: "/skills/$id",
  component: work("SkillRoute"),
});
export const templates = createRoute({
  getParentRoute: () => shell,
  path: "/templates",
  validateSearch: only("q", "sort"),
  component: work("TemplatesPage"),
});
export const template = createRoute({
  getParentRoute: () => shell,
  path: "/templates/$id",
  component: work("TemplatePage"),
});
