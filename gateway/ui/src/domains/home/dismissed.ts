// Failed runs that a person has put aside on this page, in this browser. Ids only.
import { create } from "zustand";

const KEY = "roost-home-dismissed";
const KEEP = 300;

function stored(): string[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(parsed) ? parsed.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}

const useStore = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set(stored()) }));

export const useDismissed = () => useStore((state) => state.ids);

export function dismiss(id: string) {
  // Another tab may have put others aside.
  const ids = [...stored().filter((one) => one !== id), id].slice(-KEEP);
  useStore.setState({ ids: new Set(ids) });
  try {
    localStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // Without storage it is aside until the page is loaded again.
  }
}
