// What was typed into an agent's console and not sent: it is there again when somebody comes back from another tab.
import { create } from "zustand";

interface Typed {
  text: string;
  /** The folder to run in. */
  cwd: string;
}

const NOTHING: Typed = { text: "", cwd: "" };
const useAll = create<Record<string, Typed>>(() => ({}));

export const useTyped = (agent: string) => useAll((all) => all[agent] ?? NOTHING);

export const type = (agent: string, change: Partial<Typed>) =>
  useAll.setState((all) => ({ [agent]: { ...NOTHING, ...all[agent], ...change } }));
