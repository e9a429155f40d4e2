import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { NotFound, PageFault, PageMissing } from "./lost-pages";
import { Shell } from "./shell";

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Only a path of this page may follow a sign-in, never another origin. */
export function safeNext(value: unknown): string | undefined {
  const next = text(value);
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : undefined;
}

/** Keeps an address short: what is not set does not appear in it. */
function given<T extends Record<string, string | undefined>>(search: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}

/** A page in a chunk of its own. Its failure is shown; the router's own answer, a reload unasked, would lose what was typed. */
function page<T extends Record<string, unknown>>(load: () => Promise<T>, name: keyof T & string) {
  const wrapped = () =>
    load().catch((error: unknown) => {
      throw new PageMissing({ cause: error });
    });
  return lazyRouteComponent(wrapped as () => Promise<Record<string, () => React.ReactNode>>, name);
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search) => given({ next: safeNext(search["next"]) }),
  component: page(() => import("~/domains/identity/page"), "SignInPage"),
});
const setPassword = createRoute({
  getParentRoute: () => root,
  path: "/set-password",
  validateSearch: (search) => given({ next: safeNext(search["next"]) }),
  component: page(() => import("~/domains/identity/page"), "SetPasswordPage"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: page(() => import("~/domains/identity/invitation"), "InvitationPage"),
});
const terminal = createRoute({
  getParentRoute: () => root,
  path: "/device",
  component: page(() => import("~/domains/identity/terminal"), "TerminalPage"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  notFoundComponent: NotFound,
});
const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: () => <Navigate to="/fleet" replace />,
});
const fleet = createRoute({
  getParentRoute: () => shell,
  path: "/fleet",
  validateSearch: (search) =>
    given({
      q: text(search["q"]),
      dialog: text(search["dialog"]),
      view: text(search["view"]),
      metric: text(search["metric"]),
      span: text(search["span"]),
    }),
  component: page(() => import("~/domains/fleet/page"), "FleetPage"),
});
const node = createRoute({
  getParentRoute: () => shell,
  path: "/fleet/$id",
  validateSearch: (search) => given({ span: text(search["span"]) }),
  component: page(() => import("~/domains/fleet/node/page"), "NodePage"),
});
const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  validateSearch: (search) => given({ q: text(search["q"]), dialog: text(search["dialog"]) }),
  component: page(() => import("~/domains/agents/page"), "AgentsPage"),
});
const agent = createRoute({
  getParentRoute: () => shell,
  path: "/claws/$id",
  // `tab` is what the address had before; links to it were copied.
  validateSearch: (search) =>
    given({
      app: text(search["app"]),
      tab: text(search["tab"]),
      sources: text(search["sources"]),
      view: text(search["view"]),
      declined: text(search["declined"]),
    }),
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
const connections = createRoute({
  getParentRoute: () => shell,
  path: "/connections",
  validateSearch: (search) => given({ q: text(search["q"]) }),
  component: page(() => import("~/domains/connections/page"), "ConnectionsPage"),
});
const doors = createRoute({
  getParentRoute: () => shell,
  path: "/doors",
  validateSearch: (search) => given({ q: text(search["q"]) }),
  component: page(() => import("~/domains/doors/page"), "DoorsPage"),
});
const repos = createRoute({
  getParentRoute: () => shell,
  path: "/repos",
  validateSearch: (search) => given({ q: text(search["q"]), dialog: text(search["dialog"]) }),
  component: page(() => import("~/domains/repos/page"), "ReposPage"),
});
const repo = createRoute({
  getParentRoute: () => shell,
  path: "/repos/$id",
  component: page(() => import("~/domains/repos/repo-page"), "RepoPage"),
});
type Work =
  | "RunsPage"
  | "RunPage"
  | "TeamsPage"
  | "NewTeamPage"
  | "TeamPage"
  | "SkillsPage"
  | "SkillPage"
  | "TemplatesPage"
  | "TemplatePage";
const work = (name: Work) => page(() => import("./work-route"), name);
const runs = createRoute({
  getParentRoute: () => shell,
  path: "/runs",
  validateSearch: (search) => given({ q: text(search["q"]), state: text(search["state"]) }),
  component: work("RunsPage"),
});
const run = createRoute({
  getParentRoute: () => shell,
  path: "/runs/$id",
  component: work("RunPage"),
});
const teams = createRoute({
  getParentRoute: () => shell,
  path: "/teams",
  validateSearch: (search) => given({ q: text(search["q"]) }),
  component: work("TeamsPage"),
});
const newTeam = createRoute({
  getParentRoute: () => shell,
  path: "/teams/new",
  validateSearch: (search) => given({ template: text(search["template"]) }),
  component: work("NewTeamPage"),
});
const team = createRoute({
  getParentRoute: () => shell,
  path: "/teams/$id",
  component: work("TeamPage"),
});
const skills = createRoute({
  getParentRoute: () => shell,
  path: "/skills",
  validateSearch: (search) =>
    given({ q: text(search["q"]), tag: text(search["tag"]), dialog: text(search["dialog"]) }),
  component: work("SkillsPage"),
});
const skill = createRoute({
  getParentRoute: () => shell,
  path: "/skills/$id",
  component: work("SkillPage"),
});
const templates = createRoute({
  getParentRoute: () => shell,
  path: "/templates",
  validateSearch: (search) => given({ q: text(search["q"]) }),
  component: work("TemplatesPage"),
});
const template = createRoute({
  getParentRoute: () => shell,
  path: "/templates/$id",
  component: work("TemplatePage"),
});
const mesh = createRoute({
  getParentRoute: () => shell,
  path: "/mesh",
  validateSearch: (search) => given({ dialog: text(search["dialog"]) }),
  component: page(() => import("~/domains/mesh/page"), "MeshPage"),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: (search) =>
    given({
      actor: text(search["actor"]),
      action: text(search["action"]),
      thing: text(search["thing"]),
      from: text(search["from"]),
      until: text(search["until"]),
    }),
  component: page(() => import("~/domains/audit/page"), "AuditPage"),
});
const members = createRoute({
  getParentRoute: () => shell,
  path: "/members",
  component: page(() => import("~/domains/people/page"), "MembersPage"),
});
type SettingsPart = "General" | "SignIn" | "Connections" | "Mesh" | "Broker";
const part = <P extends `/settings${string}`>(path: P, name: SettingsPart) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: page(() => import("./settings-route"), name),
  });
const settings = part("/settings", "General");
const settingsSignIn = part("/settings/sign-in", "SignIn");
const settingsConnections = part("/settings/connections", "Connections");
const settingsMesh = part("/settings/mesh", "Mesh");
const settingsBroker = part("/settings/broker", "Broker");
const quotas = createRoute({
  getParentRoute: () => shell,
  path: "/quotas",
  component: page(() => import("~/domains/quotas/page"), "QuotasPage"),
});
const operator = createRoute({
  getParentRoute: () => shell,
  path: "/operator",
  validateSearch: (search) =>
    given({
      q: text(search["q"]),
      kind: text(search["kind"]),
      tenant: text(search["tenant"]),
      actor: text(search["actor"]),
    }),
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
    shell.addChildren([
      home,
      fleet,
      node,
      agents,
      agent,
      agentMoved,
      connections,
      doors,
      repos,
      repo,
      teams,
      newTeam,
      team,
      skills,
      skill,
      templates,
      template,
      runs,
      run,
      mesh,
      audit,
      members,
      quotas,
      settings,
      settingsSignIn,
      settingsConnections,
      settingsMesh,
      settingsBroker,
      operator,
      promises,
      account,
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
