// What keys mean, without touching the page: the shortcuts obey this table and the help shows it.

export interface KeyHelp {
  keys: string;
  what: string;
  /** Still works when single keys are switched off. */
  always?: boolean;
}

export const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
export const MOD = mac ? "⌘" : "Ctrl";

export const HELP: KeyHelp[] = [
  { keys: `${MOD} K`, what: "Go anywhere, do anything", always: true },
  { keys: "Alt ↓", what: "What stands beside this page or thing", always: true },
  { keys: "[  ]", what: "Previous or next of the same kind" },
  { keys: "/", what: "Filter the list on this page" },
  { keys: "j  k", what: "Next or previous row" },
  { keys: "Enter", what: "Open the row", always: true },
  { keys: "x", what: "Select the row" },
  { keys: "e", what: "Unfold everything, or fold it again" },
  { keys: "g n", what: "Notifications" },
  { keys: "?", what: "This help" },
  { keys: "Esc", what: "Close the top layer", always: true },
];

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

export type Meaning =
  | { does: "palette" | "siblings" | "filter" | "help" | "select" | "unfold" }
  | { does: "row" | "sibling"; step: 1 | -1 }
  | { does: "lead" }
  | { does: "go"; chord: string };

const SINGLE: Record<string, Meaning> = {
  "?": { does: "help" },
  "/": { does: "filter" },
  j: { does: "row", step: 1 },
  k: { does: "row", step: -1 },
  x: { does: "select" },
  e: { does: "unfold" },
  "[": { does: "sibling", step: -1 },
  "]": { does: "sibling", step: 1 },
  g: { does: "lead" },
};

/** What a key press asks for. `led`: `g` came just before; `single`: keys of one letter count here and now. */
export function meaning(pressed: Pressed, led: boolean, single: boolean): Meaning | undefined {
  const { key, ctrlKey, metaKey, altKey } = pressed;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return { does: "palette" };
  if (altKey && !ctrlKey && !metaKey && key === "ArrowDown") return { does: "siblings" };
  // On some keyboards [ and ] are typed with AltGr, which arrives as Ctrl and Alt together.
  const bracket = (key === "[" || key === "]") && ctrlKey === altKey && !metaKey;
  if (!single || ((ctrlKey || metaKey || altKey) && !bracket)) return undefined;
  return led && key !== "g" ? { does: "go", chord: key } : SINGLE[key];
}
