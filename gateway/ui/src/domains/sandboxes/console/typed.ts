// What was typed into the console of a sandbox and not sent: it is there again when somebody comes back from another tab.
import { create } from "zustand";

interface Typed {
  text: string;
  /** The folder to run in. */
  cwd: string;
}

const NOTHING: Typed = { text: "", cwd: "" };
const useAll = create<Record<string, Typed>>(() => ({}));

export const useTyped = (owner: string) => useAll((all) => all[owner] ?? NOTHING);

export const type = (owner: string, change: Partial<Typed>) =>
  useAll.setState((all) => ({ [owner]: { ...NOTHING, ...all[owner], ...change } }));
