import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Me } from "~/api/types";
import { usePreferences } from "~/ui/preferences";
import { meaning } from "./keyboard";
import { CHORDS, open, takeEarly } from "./layers";
import { chordsOf } from "./places";
import { openSiblings, selectRow, stepRow, unfoldAll } from "./rows";
import { useThings } from "./siblings";

const LEAD_MS = 1500;
/** Fields that letters are typed into; a tick box or a button is none. */
const TYPED =
  "textarea, select, [contenteditable], [role=combobox], [role=textbox], .xterm, " +
  "input:not([type=checkbox], [type=radio], [type=button], [type=submit])";

const within = (target: EventTarget | null, what: string) =>
  target instanceof Element && target.closest(what) !== null;

function focusFilter() {
  const field = document.querySelector<HTMLInputElement>("[data-filter]");
  field?.focus();
  return field !== null;
}

/** Listens to the keys of the whole page. */
export function Shortcuts({ me }: { me: Me }) {
  const router = useRouter();
  const things = useThings();
  const led = useRef(-Infinity);
  const act = (event: KeyboardEvent): boolean => {
    const typing = within(event.target, TYPED);
    // An open layer has the keyboard to itself.
    const covered = document.querySelector("[role=dialog], [role=alertdialog]") !== null;
    const single = usePreferences.getState().singleKeys && !typing && !covered;
    // When the keys were pressed counts, not when a busy page came to look at them.
    const asked = meaning(event, event.timeStamp - led.current < LEAD_MS, single);
    led.current = asked?.does === "lead" ? event.timeStamp : -Infinity;
    switch (asked?.does) {
      case "palette":
        // A shell in a terminal uses the same keys itself.
        if (within(event.target, ".xterm") || covered) return within(event.target, "[role=dialog]");
        open("palette");
        return true;
      case "siblings":
        return !within(event.target, "select, [role=combobox], .xterm") && openSiblings();
      case "sibling":
        void things.step(asked.step);
        return true;
      case "row":
        stepRow(asked.step);
        return true;
      case "select":
        selectRow();
        return true;
      case "unfold":
        unfoldAll();
        return true;
      case "filter":
        return focusFilter();
      case "help":
        open("help");
        return true;
      case "go": {
        if (asked.chord in CHORDS) {
          open(CHORDS[asked.chord as keyof typeof CHORDS].layer);
          return true;
        }
        const place = chordsOf(me).find(({ chord }) => chord === asked.chord);
        if (place) void router.navigate({ to: place.to });
        return place !== undefined;
      }
      default:
        return false;
    }
  };
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && latest.current(event)) event.preventDefault();
    };
    takeEarly().forEach((event) => latest.current(event));
    globalThis.addEventListener("keydown", press);
    return () => globalThis.removeEventListener("keydown", press);
  }, []);
  return null;
}
