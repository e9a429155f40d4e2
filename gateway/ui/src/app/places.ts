// Every place that one can go to from anywhere: the rail, the palette, the chords and the first crumb read this list.
import {
  BookOpen,
  Bot,
  DoorOpen,
  FolderGit2,
  Gauge,
  LayoutTemplate,
  Network,
  Play,
  Plug,
  ScrollText,
  Server,
  Settings,
  UserRound,
  UsersRound,
  Waypoints,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import type { Me } from "~/api/types";

export interface Place {
  to:
    | "/fleet"
    | "/agents"
    | "/connections"
    | "/doors"
    | "/repos"
    | "/runs"
    | "/teams"
    | "/skills"
    | "/templates"
    | "/mesh"
    | "/audit"
    | "/members"
    | "/quotas"
    | "/operator"
    | "/settings"
    | "/account";
  label: string;
  icon: LucideIcon;
  /** The key after `g`. */
  chord: string;
  /** Where the pages of its single things are, when that is not below it. */
  also?: string;
  /** Other words that somebody may look for it by. */
  words: string;
  may?: (me: Me) => boolean;
}

export const WORK: Place[] = [
  {
    to: "/doors",
    label: "Doors",
    icon: DoorOpen,
    chord: "d",
    words: "approve deny requests actions decisions",
    may: (me) => me.permissions.includes("doors.read"),
  },
  { to: "/fleet", label: "Fleet", icon: Server, chord: "f", words: "machines nodes placement" },
  { to: "/agents", label: "Agents", icon: Bot, chord: "a", also: "/claws/", words: "claws sandboxes" },
  {
    to: "/teams",
    label: "Teams",
    icon: Workflow,
    chord: "e",
    words: "topology members goal",
    may: (me) => me.permissions.includes("teams.read"),
  },
  {
    to: "/runs",
    label: "Runs",
    icon: Play,
    chord: "r",
    words: "timeline reasoning steps cost",
    may: (me) => me.permissions.includes("runs.read"),
  },
  {
    to: "/templates",
    label: "Templates",
    icon: LayoutTemplate,
    chord: "l",
    words: "team roles prompts versions",
    may: (me) => me.permissions.includes("templates.read"),
  },
  {
    to: "/skills",
    label: "Skills",
    icon: BookOpen,
    chord: "k",
    words: "catalogue know-how versions",
    may: (me) => me.permissions.includes("skills.read"),
  },
  {
    to: "/connections",
    label: "Connections",
    icon: Plug,
    chord: "x",
    words: "apps oauth tokens mcp webhooks",
    may: (me) => me.permissions.includes("apps.read"),
  },
  {
    to: "/repos",
    label: "Repositories",
    icon: FolderGit2,
    chord: "b",
    words: "code github gitlab forgejo gitea git",
  },
  {
    to: "/mesh",
    label: "Mesh",
    icon: Waypoints,
    chord: "m",
    words: "tailscale headscale vpn tailnet devices",
  },
];

export const KEEPING: Place[] = [
  {
    to: "/audit",
    label: "Audit",
    icon: ScrollText,
    chord: "u",
    words: "log history chain",
    may: (me) => me.permissions.includes("audit.read"),
  },
  { to: "/members", label: "Members", icon: UsersRound, chord: "p", words: "people invitations roles" },
  { to: "/quotas", label: "Quotas", icon: Gauge, chord: "q", words: "plan limits" },
  {
    to: "/settings",
    label: "Settings",
    icon: Settings,
    chord: "s",
    words: "theme density keyboard workspace",
  },
  {
    to: "/operator",
    label: "Supervision",
    icon: Network,
    chord: "t",
    words: "tree actors operator promises",
    may: (me) => me.operator || me.permissions.includes("tree.read"),
  },
  {
    to: "/account",
    label: "Account",
    icon: UserRound,
    chord: "c",
    words: "password sessions tokens sign out",
  },
];

/** The pages of the settings, one beside the other. */
export interface Part extends Pick<Place, "label" | "words" | "may"> {
  to:
    | "/settings"
    | "/settings/models"
    | "/settings/sign-in"
    | "/settings/connections"
    | "/settings/mesh"
    | "/settings/broker";
}

export const SETTINGS: Part[] = [
  { to: "/settings", label: "General", words: "" },
  { to: "/settings/models", label: "Models", words: "openai ollama price key" },
  { to: "/settings/sign-in", label: "Sign-in", words: "identity provider oidc sso issuer" },
  { to: "/settings/connections", label: "Connections", words: "oauth callback redirect apps" },
  { to: "/settings/mesh", label: "Mesh", words: "tailscale headscale vpn" },
  { to: "/settings/broker", label: "Secret broker", words: "root key tokens", may: (me) => me.operator },
];

export const allowed = <T extends Pick<Place, "may">>(places: T[], me: Me) =>
  places.filter((place) => !place.may || place.may(me));

/** The place that an address belongs to. */
export function placeOf(pathname: string): Place | undefined {
  return [...WORK, ...KEEPING].find(
    ({ to, also }) =>
      pathname === to || pathname.startsWith(`${to}/`) || (also !== undefined && pathname.startsWith(also)),
  );
}
