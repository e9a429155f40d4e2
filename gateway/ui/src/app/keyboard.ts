// What keys mean, without touching the page: the shortcuts obey this table.

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
