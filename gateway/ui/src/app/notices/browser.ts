// Notifications of the browser itself, for somebody who has this page open and looks elsewhere. A person switches them on;
// nothing asks for them by itself.
import type { Notice } from "./model";
import { useNotices } from "./store";
import { said } from "./words";

const KEY = "roost-browser-notices";
/** What a person chose with the switch. The browser keeps its own answer beside it. */
let wanted = false;
try {
  wanted = localStorage.getItem(KEY) === "on";
} catch {
  // Without storage the switch is off.
}

export type Allowed = "on" | "off" | "refused" | "missing";

const isThere = () => typeof Notification === "function";

/** How the switch stands: a browser that refuses is told apart from one that has no such thing. */
export function browserNotices(): Allowed {
  if (!isThere()) return "missing";
  if (Notification.permission === "denied") return "refused";
  return wanted && Notification.permission === "granted" ? "on" : "off";
}

/** Called by the press of the switch alone: this is where the browser asks the person. */
export async function switchBrowserNotices(on: boolean): Promise<Allowed> {
  if (on && isThere() && Notification.permission === "default") await Notification.requestPermission();
  wanted = on && isThere() && Notification.permission === "granted";
  try {
    localStorage.setItem(KEY, wanted ? "on" : "off");
  } catch {
    // It holds until the page is closed.
  }
  return browserNotices();
}

/** What was not told yet, and is worth it: nobody looks at this page. */
export function toTell(fresh: readonly Notice[], told: ReadonlySet<string>, hidden: boolean): Notice[] {
  return hidden ? fresh.filter(({ id, read }) => !read && !told.has(id)) : [];
}

/** Tells what is new while the page is not looked at. `open` goes to the thing when the notification is pressed. */
export function tellBrowser(open: (notice: Notice) => void): () => void {
  const told = new Set<string>();
  return useNotices.subscribe(({ fresh }) => {
    if (browserNotices() !== "on") return;
    for (const notice of toTell(fresh, told, document.visibilityState === "hidden")) {
      told.add(notice.id);
      const { before, after } = said(notice);
      // Tabs that tell the same thing replace each other's notification.
      const shown = new Notification(`${before}${notice.name}${after}`, { tag: notice.id });
      shown.addEventListener("click", () => {
        globalThis.focus();
        open(notice);
        shown.close();
      });
    }
  });
}
