// Every place that one can go to from anywhere: the rail, the palette, the chords and the first crumb read this list.
import {
  Clock,
  BookOpen,
  Bot,
  Gauge,
  House,
  LayoutTemplate,
  Network,
  Play,
  Plug,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Target,
  UserRound,
  UsersRound,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import type { Me } from "~/api/types";

export interface Place {
  to:
    | "/"
    | "/approvals"
    | "/fleet"
    | "/agents"
    | "/connections"
    | "/missions"
    | "/routines"
    | "/runs"
    | "/teams"
    | "/skills"
    | "/templates"
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
  /** Beginnings of other addresses that belong to this place. */
  also?: string[];
  /** Other words that somebody may look for it by. */
  words: string;
  may?: (me: Me) => boolean;
}

export interface PlaceGroup {
  label: string;
  places: Place[];
}

/** The navigation has four groups at most. */
export const GROUPS: PlaceGroup[] = [
  {
    label: "Work",
    places: [
      { to: "/", label: "Home", icon: House, chord: "h", words: "start overview attention spend" },
      {
        to: "/approvals",
        label: "Approvals",
        icon: ShieldCheck,
        chord: "d",
        words: "approve deny doors requests actions decisions",
        may: (me) => me.permissions.includes("doors.read"),
      },
      {
        to: "/missions",
        label: "Missions",
        icon: Target,
        chord: "i",
        words: "goals phases research coding artifacts launch",
        may: (me) => me.permissions.includes("missions.read"),
      },
      {
        to: "/routines",
        label: "Routines",
        icon: Clock,
        chord: "o",
        words: "schedule cron loop recurring timer",
        may: (me) => me.permissions.includes("routines.read"),
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
        to: "/teams",
        label: "Teams",
        icon: Workflow,
        chord: "e",
        words: "topology members goal",
        may: (me) => me.permissions.includes("teams.read"),
      },
      { to: "/agents", label: "Agents", icon: Bot, chord: "a", also: ["/claws/"], words: "claws sandboxes" },
    ],
  },
  {
    label: "Build",
    places: [
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
        label: "Integrations",
        icon: Plug,
        chord: "x",
        also: ["/repos", "/mesh"],
        words: "apps mcp servers connections oauth tokens webhooks",
      },
    ],
  },
  {
    label: "Infrastructure",
    places: [
      { to: "/fleet", label: "Fleet", icon: Server, chord: "f", words: "machines nodes placement" },
      {
        to: "/operator",
        label: "Supervision",
        icon: Network,
        chord: "t",
        words: "tree actors operator promises",
        may: (me) => me.operator || me.permissions.includes("tree.read"),
      },
    ],
  },
  {
    label: "Administration",
    places: [
      { to: "/members", label: "Members", icon: UsersRound, chord: "p", words: "people invitations roles" },
      {
        to: "/audit",
        label: "Audit",
        icon: ScrollText,
        chord: "u",
        words: "log history chain",
        may: (me) => me.permissions.includes("audit.read"),
      },
      { to: "/quotas", label: "Quotas", icon: Gauge, chord: "q", words: "plan limits" },
      {
        to: "/settings",
        label: "Settings",
        icon: Settings,
        chord: "s",
        words: "theme density keyboard workspace",
      },
      {
        to: "/account",
        label: "Account",
        icon: UserRound,
        chord: "c",
        words: "password sessions tokens sign out",
      },
    ],
  },
];

export const PLACES: Place[] = GROUPS.flatMap(({ places }) => places);

/** The pages of the integrations, one beside the other. The navigation has one entry for all of them. */
export interface Integration extends Pick<Place, "label" | "words" | "chord"> {
  to: "/connections" | "/repos" | "/mesh";
}

export const INTEGRATIONS: Integration[] = [
  { to: "/connections", label: "Apps and MCP servers", chord: "x", words: "" },
  {
    to: "/repos",
    label: "Repositories",
    chord: "b",
    words: "integrations code hosts github gitlab forgejo gitea git",
  },
  {
    to: "/mesh",
    label: "Mesh",
    chord: "m",
    words: "integrations tailscale headscale vpn tailnet devices",
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

/** Where `g` and a key lead. */
export const chordsOf = (me: Me): { to: Place["to"] | Integration["to"]; label: string; chord: string }[] => [
  ...allowed(PLACES, me),
  ...INTEGRATIONS.slice(1),
];

/** The place that an address belongs to. */
export function placeOf(pathname: string): Place | undefined {
  return PLACES.find(
    ({ to, also }) =>
      pathname === to || pathname.startsWith(`${to}/`) || also?.some((begin) => pathname.startsWith(begin)),
  );
}
