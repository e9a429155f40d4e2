// Everything that the palette offers: this page's own actions, places, things, workspaces, settings.
import {
  Bot,
  Building2,
  Keyboard,
  Monitor,
  Moon,
  Plug,
  Plus,
  Rows3,
  Server,
  Settings,
  Sun,
  Zap,
} from "lucide-react";
import type { Me } from "~/api/types";
import { prefer, usePreferences } from "~/ui/preferences";
import { chooseTheme } from "~/ui/theme";
import type { Choice } from "../pick/pick-list";
import { allowed, INTEGRATIONS, PLACES, SETTINGS } from "../places";
import { WORDS } from "./place-words";
import type { Thing } from "../siblings";

const DANGER = /^(delete|destroy|remove|revoke|end|leave|withdraw|drain|restart)\b/i;

/** The buttons of the page's bar and of its selection: what they do is offered under the same words. */
export function pageActions(root: ParentNode = document): Choice[] {
  const found = root.querySelectorAll<HTMLElement>(
    "[data-page-actions] :is(button, a[href]), [data-selection-actions] :is(button, a[href])",
  );
  return [...found]
    .filter(
      (element) =>
        !element.hasAttribute("disabled") &&
        element.getAttribute("aria-disabled") !== "true" &&
        // What a menu has is offered itself.
        element.dataset["more"] === undefined,
    )
    .map((element, at) => ({ element, at, label: (element.ariaLabel ?? element.textContent ?? "").trim() }))
    .filter(({ label }) => label !== "")
    .map(({ element, at, label }) => ({
      id: `action:${at}:${label}`,
      group: "On this page",
      label,
      icon: Zap,
      danger: DANGER.test(label),
      run: () => element.click(),
    }));
}

interface Go {
  to: (path: string) => void;
  thing: (thing: Thing) => void;
  workspace: (id: string) => void;
}

export function placeEntries(me: Me, here: string, go: Go): Choice[] {
  const places = allowed(PLACES, me).map(({ to, label, icon, chord }) => ({
    id: `place:${to}`,
    group: "Places",
    label,
    icon,
    hint: `g ${chord}`,
    words: WORDS[to],
    here: here === to,
    run: () => go.to(to),
  }));
  const integrations = INTEGRATIONS.slice(1).map(({ to, label, chord }) => ({
    id: `place:${to}`,
    group: "Places",
    label,
    icon: Plug,
    hint: `g ${chord}`,
    words: WORDS[to],
    here: here === to,
    run: () => go.to(to),
  }));
  const parts = allowed(SETTINGS.slice(1), me).map(({ to, label }) => ({
    id: `place:${to}`,
    group: "Places",
    label: `Settings: ${label}`,
    icon: Settings,
    words: WORDS[to],
    here: here === to,
    run: () => go.to(to),
  }));
  const makes: Choice[] = [];
  const make = (id: string, label: string, path: string) =>
    makes.push({ id, group: "Make", label, icon: Plus, words: "new create add", run: () => go.to(path) });
  if (me.permissions.includes("claws.write")) make("make:agent", "New agent", "/agents?dialog=new");
  if (me.permissions.includes("nodes.manage")) make("make:machine", "Pair a machine", "/fleet?dialog=pair");
  if (me.permissions.includes("missions.manage")) make("make:mission", "New mission", "/missions/new");
  if (me.permissions.includes("teams.manage")) make("make:team", "New team", "/teams/new");
  if (me.permissions.includes("runs.start")) make("make:comparison", "Compare teams", "/runs/compare");
  return [...places, ...integrations, ...parts, ...makes];
}

export function thingEntries(things: Thing[], go: (thing: Thing) => void): Choice[] {
  return things.map((thing) => ({
    id: `${thing.kind}:${thing.id}`,
    group: thing.kind === "agent" ? "Agents" : "Machines",
    label: thing.name,
    hint: thing.hint,
    icon: thing.kind === "agent" ? Bot : Server,
    run: () => go(thing),
  }));
}

export function workspaceEntries(me: Me, go: Go): Choice[] {
  return me.workspaces
    .filter((one) => one.id !== me.workspace.id)
    .map((one) => ({
      id: `workspace:${one.id}`,
      group: "Workspaces",
      label: `Go to ${one.name}`,
      words: "switch workspace",
      icon: Building2,
      run: () => go.workspace(one.id),
    }));
}

export function settingEntries(): Choice[] {
  const { density, singleKeys } = usePreferences.getState();
  const other = density === "compact" ? "comfortable" : "compact";
  const setting = (
    id: string,
    label: string,
    icon: Choice["icon"],
    words: string,
    run: () => void,
  ): Choice => ({
    id: `setting:${id}`,
    group: "Settings",
    label,
    icon,
    words,
    run,
  });
  return [
    setting("dark", "Theme: dark", Moon, "appearance", () => chooseTheme("dark")),
    setting("light", "Theme: light", Sun, "appearance", () => chooseTheme("light")),
    setting("system", "Theme: as the system", Monitor, "appearance", () => chooseTheme("system")),
    setting("density", `Rows: ${other}`, Rows3, "density height", () => prefer({ density: other })),
    setting("keys", `Single keys: ${singleKeys ? "off" : "on"}`, Keyboard, "shortcuts keyboard", () =>
      prefer({ singleKeys: !singleKeys }),
    ),
  ];
}
