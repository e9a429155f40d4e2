// How this browser shows the page: row density, single keys, the folded rail. /theme.js sets the density before paint.
import { create } from "zustand";

export interface Preferences {
  density: "comfortable" | "compact";
  /** Shortcuts that are one letter; chords with Ctrl, Cmd or Alt stay in any case. */
  singleKeys: boolean;
  railFolded: boolean;
}

const KEY = "roost-preferences";
const FIRST: Preferences = { density: "comfortable", singleKeys: true, railFolded: false };

/** What was stored, with whatever is missing or of another type as it is at first. */
export function readPreferences(text: string | null): Preferences {
  let stored: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    if (parsed && typeof parsed === "object") stored = parsed as Record<string, unknown>;
  } catch {
    // Somebody else's text under our name; the first values are good.
  }
  const flag = (name: "singleKeys" | "railFolded") =>
    typeof stored[name] === "boolean" ? stored[name] : FIRST[name];
  return {
    density: stored["density"] === "compact" ? "compact" : "comfortable",
    singleKeys: flag("singleKeys"),
    railFolded: flag("railFolded"),
  };
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const usePreferences = create<Preferences>(() => readPreferences(stored()));

const show = ({ density }: Preferences) => {
  document.documentElement.dataset["density"] = density;
};

export function prefer(change: Partial<Preferences>) {
  usePreferences.setState(change);
  const now = usePreferences.getState();
  show(now);
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

// Another tab of the same browser chose; this one follows.
globalThis.addEventListener?.("storage", (event) => {
  if (event.key !== KEY) return;
  usePreferences.setState(readPreferences(event.newValue));
  show(usePreferences.getState());
});
