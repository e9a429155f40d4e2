// Every place that one can go to from anywhere: the rail, the palette, the chords and the first crumb read this list.
import {
  Clock,
  BookOpen,
  Bot,
  Gauge,
  Globe,
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
    | "/world"
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
      { to: "/", label: "Home", icon: House, chord: "h" },
      {
        to: "/approvals",
        label: "Approvals",
        icon: ShieldCheck,
        chord: "d",
        may: (me) => me.permissions.includes("doors.read"),
      },
      {
        to: "/missions",
        label: "Missions",
        icon: Target,
        chord: "i",
        may: (me) => me.permissions.includes("missions.read"),
      },
      {
        to: "/routines",
        label: "Routines",
        icon: Clock,
        chord: "o",
        may: (me) => me.permissions.includes("routines.read"),
      },
      {
        to: "/runs",
        label: "Runs",
        icon: Play,
        chord: "r",
        may: (me) => me.permissions.includes("runs.read"),
      },
      {
        to: "/teams",
        label: "Teams",
        icon: Workflow,
        chord: "e",
        may: (me) => me.permissions.includes("teams.read"),
      },
      { to: "/agents", label: "Agents", icon: Bot, chord: "a", also: ["/claws/"] },
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
        may: (me) => me.permissions.includes("templates.read"),
      },
      {
        to: "/skills",
        label: "Skills",
        icon: BookOpen,
        chord: "k",
        may: (me) => me.permissions.includes("skills.read"),
      },
      {
        to: "/connections",
        label: "Integrations",
        icon: Plug,
        chord: "x",
        also: ["/repos", "/mesh"],
      },
    ],
  },
  {
    label: "Infrastructure",
    places: [
      { to: "/fleet", label: "Fleet", icon: Server, chord: "f" },
      { to: "/world", label: "World", icon: Globe, chord: "w" },
      {
        to: "/operator",
        label: "Supervision",
        icon: Network,
        chord: "t",
        may: (me) => me.operator || me.permissions.includes("tree.read"),
      },
    ],
  },
  {
    label: "Administration",
    places: [
      { to: "/members", label: "Members", icon: UsersRound, chord: "p" },
      {
        to: "/audit",
        label: "Audit",
        icon: ScrollText,
        chord: "u",
        may: (me) => me.permissions.includes("audit.read"),
      },
      { to: "/quotas", label: "Quotas", icon: Gauge, chord: "q" },
      {
        to: "/settings",
        label: "Settings",
        icon: Settings,
        chord: "s",
      },
      {
        to: "/account",
        label: "Account",
        icon: UserRound,
        chord: "c",
      },
    ],
  },
];

export const PLACES: Place[] = GROUPS.flatMap(({ places }) => places);

/** The pages of the integrations, one beside the other. The navigation has one entry for all of them. */
export interface Integration extends Pick<Place, "label" | "chord"> {
  to: "/connections" | "/repos" | "/mesh";
}

export const INTEGRATIONS: Integration[] = [
  { to: "/connections", label: "Apps and MCP servers", chord: "x" },
  {
    to: "/repos",
    label: "Repositories",
    chord: "b",
  },
  {
    to: "/mesh",
    label: "Mesh",
    chord: "m",
  },
];

/** The pages of the settings, one beside the other. */
export interface Part extends Pick<Place, "label" | "may"> {
  to:
    | "/settings"
    | "/settings/models"
    | "/settings/sign-in"
    | "/settings/connections"
    | "/settings/mesh"
    | "/settings/broker";
}

export const SETTINGS: Part[] = [
  { to: "/settings", label: "General" },
  { to: "/settings/models", label: "Models" },
  { to: "/settings/sign-in", label: "Sign-in" },
  { to: "/settings/connections", label: "Connections" },
  { to: "/settings/mesh", label: "Mesh" },
  { to: "/settings/broker", label: "Secret broker", may: (me) => me.operator },
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
