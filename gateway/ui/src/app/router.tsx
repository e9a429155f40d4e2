import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { PageFault } from "./lost-pages";
import { invitation, confirmAddress, lost, root, setPassword, shell, signIn, terminal } from "./root-routes";
import { only, page } from "./route-kit";
import {
  compare,
  list,
  missions,
  newMission,
  newRoutine,
  newTeam,
  oneMission,
  oneRoutine,
  routines,
  run,
  runs,
  skill,
  skills,
  team,
  teams,
  template,
  templates,
  world,
} from "./work-routes";

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: only("show"),
  component: page(() => import("./home-route"), "HomeRoute"),
});
const fleet = createRoute({
  getParentRoute: () => shell,
  path: "/fleet",
  validateSearch: only("q", "dialog", "view", "metric", "span", "sort"),
  component: list("FleetPage"),
});
const node = createRoute({
  getParentRoute: () => shell,
  path: "/fleet/$id",
  validateSearch: only("span", "show"),
  component: page(() => import("./node-route"), "NodeRoute"),
});
const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  validateSearch: only("q", "state", "team", "group", "sort", "dialog"),
  component: list("AgentsPage"),
});
const agent = createRoute({
  getParentRoute: () => shell,
  path: "/claws/$id",
  // `tab` is what the address had before; links to it were copied.
  validateSearch: only(
    "app",
    "tab",
    "show",
    "view",
    "declined",
    "snapshot",
    "path",
    "before",
    "proposal",
    "shell",
  ),
  component: page(() => import("./agent-route"), "AgentRoute"),
});
// Where an agent's page was at first; links to it were copied.
const agentMoved = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$id",
  beforeLoad: ({ params, location }) => {
    throw redirect({ to: "/claws/$id", params, search: location.search, replace: true });
  },
});
// An agent's files have an address of their own, which is short to write and to link.
const agentFiles = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$id/files",
  beforeLoad: ({ params, location }) => {
    throw redirect({
      to: "/claws/$id",
      params,
      search: { ...(location.search as Record<string, string>), app: "files" },
      replace: true,
    });
  },
});
const connections = createRoute({
  getParentRoute: () => shell,
  path: "/connections",
  validateSearch: only("q", "sort"),
  component: page(() => import("~/domains/connections/page"), "ConnectionsPage"),
});
const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  validateSearch: only("q"),
  component: page(() => import("~/domains/doors/page"), "ApprovalsPage"),
});
const approval = createRoute({
  getParentRoute: () => shell,
  path: "/approvals/$id",
  component: page(() => import("~/domains/doors/page"), "ApprovalPage"),
});
// The name of the page before; links to it are in notices and in messages.
const approvalsMoved = createRoute({
  getParentRoute: () => shell,
  path: "/doors",
  beforeLoad: ({ location }) => {
    throw redirect({ to: "/approvals", search: location.search, replace: true });
  },
});
const repos = createRoute({
  getParentRoute: () => shell,
  path: "/repos",
  validateSearch: only("q", "dialog", "sort"),
  component: page(() => import("~/domains/repos/page"), "ReposPage"),
});
const repo = createRoute({
  getParentRoute: () => shell,
  path: "/repos/$id",
  component: page(() => import("~/domains/repos/page"), "RepoPage"),
});
const mesh = createRoute({
  getParentRoute: () => shell,
  path: "/mesh",
  validateSearch: only("dialog"),
  component: page(() => import("~/domains/mesh/page"), "MeshPage"),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: only("actor", "action", "thing", "from", "until", "sort"),
  component: page(() => import("./history-route"), "AuditPage"),
});
const members = createRoute({
  getParentRoute: () => shell,
  path: "/members",
  validateSearch: only("q", "sort"),
  component: page(() => import("~/domains/people/page"), "MembersPage"),
});
type SettingsPart = "General" | "Models" | "SignIn" | "Connections" | "Mesh" | "Broker";
const part = <P extends `/settings${string}`>(path: P, name: SettingsPart) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: page(() => import("./settings-route"), name),
  });
const settings = part("/settings", "General");
const settingsModels = part("/settings/models", "Models");
const settingsSignIn = part("/settings/sign-in", "SignIn");
const settingsConnections = part("/settings/connections", "Connections");
const settingsMesh = part("/settings/mesh", "Mesh");
const settingsBroker = part("/settings/broker", "Broker");
const guide = createRoute({
  getParentRoute: () => shell,
  path: "/guide/$name",
  component: page(() => import("~/domains/guide/page"), "GuidePage"),
});
const quotas = createRoute({
  getParentRoute: () => shell,
  path: "/quotas",
  component: page(() => import("~/domains/quotas/page"), "QuotasPage"),
});
const operator = createRoute({
  getParentRoute: () => shell,
  path: "/operator",
  validateSearch: only("q", "kind", "tenant", "actor"),
  component: page(() => import("~/domains/operator/page"), "OperatorPage"),
});
const promises = createRoute({
  getParentRoute: () => shell,
  path: "/operator/promises",
  component: page(() => import("~/domains/operator/promises"), "PromisesPage"),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  component: page(() => import("~/domains/account/page"), "AccountPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    setPassword,
    invitation,
    terminal,
    confirmAddress,
    shell.addChildren([
      home,
      fleet,
      node,
      agents,
      agent,
      agentMoved,
      agentFiles,
      connections,
      approvals,
      approval,
      approvalsMoved,
      repos,
      repo,
      teams,
      newTeam,
      team,
      skills,
      skill,
      templates,
      template,
      missions,
      newMission,
      oneMission,
      world,
      routines,
      newRoutine,
      oneRoutine,
      runs,
      compare,
      run,
      mesh,
      audit,
      members,
      quotas,
      guide,
      settings,
      settingsModels,
      settingsSignIn,
      settingsConnections,
      settingsMesh,
      settingsBroker,
      operator,
      promises,
      account,
      lost,
    ]),
  ]),
  defaultErrorComponent: PageFault,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
