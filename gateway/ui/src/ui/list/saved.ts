// The views that a person has saved. They stay in this browser, by workspace and list.
import { useSyncExternalStore } from "react";

/** The list that a view belongs to; also its page. */
export type ListName =
  | "missions"
  | "runs"
  | "agents"
  | "teams"
  | "fleet"
  | "routines"
  | "approvals"
  | "audit"
  | "connections"
  | "skills"
  | "templates"
  | "repos"
  | "members";
/** What a list's address has, without its dialogs. */
export type Filters = Record<string, string>;
export interface View {
  name: string;
  filters: Filters;
}

const key = (workspace: string, list: ListName) => `roost-views-${workspace}-${list}`;

/** What was stored, without what is not a view. */
export function readViews(text: string | null): View[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(parsed)) return [];
    return parsed.flatMap((one: Partial<View> | null) =>
      one && typeof one.name === "string" && one.filters && typeof one.filters === "object"
        ? [{ name: one.name, filters: cleared(one.filters) }]
        : [],
    );
  } catch {
    // Somebody else's text under our name.
    return [];
  }
}

/** Only what narrows or sorts: an empty text does neither. */
export const cleared = (filters: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(filters).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );

export function sameFilters(a: Filters, b: Filters): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** A view of the same name is replaced where it stands. */
export function withView(views: View[], view: View, instead?: string): View[] {
  const at = views.findIndex(({ name }) => name === (instead ?? view.name));
  const others = views.filter(({ name }, index) => index === at || name !== view.name);
  return at === -1 ? [...others, view] : others.map((one) => (one === views[at] ? view : one));
}

export const withoutView = (views: View[], name: string): View[] => views.filter((one) => one.name !== name);

const watchers = new Set<() => void>();
/** Where storage is switched off, views last as long as the page. */
const memory = new Map<string, string>();

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

function watch(call: () => void) {
  watchers.add(call);
  globalThis.addEventListener("storage", call);
  return () => {
    watchers.delete(call);
    globalThis.removeEventListener("storage", call);
  };
}

/** The saved views of a list, and how to change them. */
export function useViews(
  workspace: string,
  list: ListName,
): [View[], (change: (views: View[]) => View[]) => void] {
  const name = key(workspace, list);
  const text = useSyncExternalStore(watch, () => stored(name));
  const change = (by: (views: View[]) => View[]) => {
    const next = JSON.stringify(by(readViews(stored(name))));
    memory.set(name, next);
    try {
      localStorage.setItem(name, next);
    } catch {
      // Kept in memory all the same.
    }
    watchers.forEach((call) => call());
  };
  return [readViews(text), change];
}
