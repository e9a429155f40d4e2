// Text that was typed and not saved yet. It outlives the tab, a reload, an ended session and somebody else's version.
import { useCallback, useSyncExternalStore } from "react";

export interface Draft {
  text: string;
  /** The version that it was begun from. */
  base: number;
}

const watchers = new Set<() => void>();
/** Where the browser keeps nothing (a private window may refuse), it lives as long as the page. */
const here = new Map<string, string>();

function read(key: string): string | null {
  try {
    return here.get(key) ?? localStorage.getItem(key);
  } catch {
    return here.get(key) ?? null;
  }
}

function write(key: string, text: string | null) {
  if (text === null) here.delete(key);
  else here.set(key, text);
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Full or forbidden: the page's own copy is enough until it is closed.
  }
  watchers.forEach((call) => call());
}

export function parseDraft(stored: string | null): Draft | undefined {
  try {
    const found = JSON.parse(stored ?? "null") as Partial<Draft> | null;
    if (typeof found?.text === "string" && typeof found.base === "number")
      return { text: found.text, base: found.base };
  } catch {
    // Not ours, or cut off: there is no draft.
  }
  return undefined;
}

/** The draft of one person for one agent, and how to change it; without a draft it is let go of. */
export function useDraft(person: string, agent: string) {
  const key = `roost-brain/${person}/${agent}`;
  const watch = useCallback((call: () => void) => {
    watchers.add(call);
    return () => watchers.delete(call);
  }, []);
  const stored = useSyncExternalStore(watch, () => read(key));
  const set = useCallback(
    (draft: Draft | undefined) => write(key, draft ? JSON.stringify(draft) : null),
    [key],
  );
  return { draft: parseDraft(stored), set };
}
