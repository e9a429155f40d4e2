// The lines of the keyboard help. The keys of the places stand in `places.ts`.
import { CHORDS } from "./layers";
import { MOD } from "./modifier";

export interface KeyHelp {
  keys: string;
  what: string;
  /** Still works when single keys are switched off. */
  always?: boolean;
}

export const HELP: KeyHelp[] = [
  { keys: `${MOD} K`, what: "Go anywhere, do anything", always: true },
  { keys: "Alt ↓", what: "Other pages, or things of this kind", always: true },
  { keys: "[  ]", what: "Previous or next of the same kind" },
  { keys: "/", what: "Filter the list on this page" },
  { keys: "j  k", what: "Next or previous row" },
  { keys: "Enter", what: "Open the row", always: true },
  { keys: "x", what: "Select the row" },
  { keys: "e", what: "Unfold everything, or fold it again" },
  ...Object.entries(CHORDS).map(([chord, { what }]) => ({ keys: `g ${chord}`, what })),
  { keys: "?", what: "This help" },
  { keys: "Esc", what: "Close the top layer", always: true },
];
