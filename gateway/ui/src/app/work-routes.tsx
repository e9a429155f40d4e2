// The addresses of teams and what they do.
import { createRoute } from "@tanstack/react-router";
import { shell } from "./root-routes";
import { given, page, text } from "./route-kit";

type Work =
  | "ComparePage"
  | "RunPage"
  | "NewTeamPage"
  | "TeamRoute"
  | "SkillsPage"
  | "SkillPage"
  | "TemplatesPage"
  | "TemplatePage";
const work = (name: Work) => page(() => import("./work-route"), name);
type Listed =
  "AgentsPage" | "FleetPage" | "MissionsPage" | "NewMissionPage" | "MissionPage" | "RunsPage" | "TeamsPage";
export const list = (name: Listed) => page(() => import("./lists-route"), name);
export const missions = createRoute({
  getParentRoute: () => shell,
  path: "/missions",
  validateSearch: (search) =>
    given({
      q: text(search["q"]),
      state: text(search["state"]),
      sort: text(search["sort"]),
      view: text(search["view"]),
    }),
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
  validateSearch: (search) => given({ phase: text(search["phase"]), artifact: text(search["artifact"]) }),
  component: list("MissionPage"),
});
type Scheduled = "RoutinesPage" | "NewRoutinePage" | "RoutinePage";
const scheduled = (name: Scheduled) => page(() => import("./routines-route"), name);
export const routines = createRoute({
  getParentRoute: () => shell,
  path: "/routines",
  component: scheduled("RoutinesPage"),
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
  validateSearch: (search) =>
    given({
      q: text(search["q"]),
      state: text(search["state"]),
      outcome: text(search["outcome"]),
      team: text(search["team"]),
      by: text(search["by"]),
      when: text(search["when"]),
      from: text(search["from"]),
      until: text(search["until"]),
      sort: text(search["sort"]),
      shown: text(search["shown"]),
    }),
  component: list("RunsPage"),
});
export const compare = createRoute({
  getParentRoute: () => shell,
  path: "/runs/compare",
  component: work("ComparePage"),
});
export const run = createRoute({
  getParentRoute: () => shell,
  path: "/runs/$id",
  component: work("RunPage"),
});
export const teams = createRoute({
  getParentRoute: () => shell,
  path: "/teams",
  validateSearch: (search) => given({ q: text(search["q"]), sort: text(search["sort"]) }),
  component: list("TeamsPage"),
});
export const newTeam = createRoute({
  getParentRoute: () => shell,
  path: "/teams/new",
  validateSearch: (search) => given({ template: text(search["template"]) }),
  component: work("NewTeamPage"),
});
export const team = createRoute({
  getParentRoute: () => shell,
  path: "/teams/$id",
  validateSearch: (search) =>
    given({
      tab: text(search["tab"]),
      show: text(search["show"]),
      snapshot: text(search["snapshot"]),
      path: text(search["path"]),
      before: text(search["before"]),
      proposal: text(search["proposal"]),
      shell: text(search["shell"]),
    }),
  component: work("TeamRoute"),
});
export const skills = createRoute({
  getParentRoute: () => shell,
  path: "/skills",
  validateSearch: (search) =>
    given({ q: text(search["q"]), tag: text(search["tag"]), dialog: text(search["dialog"]) }),
  component: work("SkillsPage"),
});
export const skill = createRoute({
  getParentRoute: () => shell,
  path: "/skills/$id",
  component: work("SkillPage"),
});
export const templates = createRoute({
  getParentRoute: () => shell,
  path: "/templates",
  validateSearch: (search) => given({ q: text(search["q"]) }),
  component: work("TemplatesPage"),
});
export const template = createRoute({
  getParentRoute: () => shell,
  path: "/templates/$id",
  component: work("TemplatePage"),
});
