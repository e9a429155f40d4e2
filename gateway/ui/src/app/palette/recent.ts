// What was picked lately in this browser, newest first. Ids only.
const KEY = "roost-recent";
const KEEP = 6;

export function recent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string").slice(0, KEEP) : [];
  } catch {
    return [];
  }
}

export function remember(id: string) {
  try {
    const next = [id, ...recent().filter((one) => one !== id)].slice(0, KEEP);
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage nothing is recent.
  }
}
