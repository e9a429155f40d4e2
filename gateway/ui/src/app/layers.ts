// Which of the shell's floating layers is open. One at a time.
import { create } from "zustand";

export type Layer = "palette" | "help" | "notifications";

/** What `g` and a key open, beside the places of `places.ts`; a test holds that no key is in both. */
export const CHORDS = { n: { layer: "notifications", what: "Notifications" } } as const;

interface Layers {
  layer: Layer | undefined;
  /** Notifications that were not looked at; counted elsewhere, shown in the top bar. */
  unread: number;
}
export const useLayer = create<Layers>(() => ({ layer: undefined, unread: 0 }));

export const open = (layer: Layer) => useLayer.setState({ layer });
export const close = () => useLayer.setState({ layer: undefined });

/** Keys that were pressed before the part that answers them had arrived. */
let early: KeyboardEvent[] = [];
const keep = (event: KeyboardEvent) => void (early = [...early.slice(-7), event]);
globalThis.addEventListener("keydown", keep);

/** Hands them over, once; from then on somebody else listens. */
export function takeEarly(): KeyboardEvent[] {
  globalThis.removeEventListener("keydown", keep);
  const taken = early;
  early = [];
  return taken.filter((event) => !event.defaultPrevented);
}
