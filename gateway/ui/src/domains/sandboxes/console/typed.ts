// What was typed and chosen in the console of a sandbox: it is there again when somebody comes back from another tab.
import { create } from "zustand";

interface Typed {
  text: string;
  /** The folder to run in. */
  cwd: string;
  /** Commands from before this time were cleared from the view. */
  since: string | undefined;
  q: string;
  failed: boolean;
}

const NOTHING: Typed = { text: "", cwd: "", since: undefined, q: "", failed: false };
const useAll = create<Record<string, Typed>>(() => ({}));

export const useTyped = (owner: string) => useAll((all) => all[owner] ?? NOTHING);

export const type = (owner: string, change: Partial<Typed>) =>
  useAll.setState((all) => ({ [owner]: { ...NOTHING, ...all[owner], ...change } }));
