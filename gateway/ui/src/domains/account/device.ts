// What a session is signed in with, in words. A browser and the command line name themselves; neither is believed further
// than that.
import type { Session } from "~/api/types";
import { visible } from "~/ui/visible";

/** The first that fits counts: most browsers name others as well. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\/|\bOPiOS\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|Chromium\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];

const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b|\biPod\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const first = (table: [RegExp, string][], text: string) => table.find(([what]) => what.test(text))?.[1];

/** `roost on desk`, `roost/0.4.0`, `roost/0.4.0 (desk)` */
const TERMINAL = /^roost(?:\/\S+)?(?: on (.+)| \((.+)\))?$/i;
const SHORT = 60;

interface Told {
  text: string;
  /** As it named itself, where that is more than `text`. */
  raw?: string;
}

export function clientOf({ kind, label, device }: Pick<Session, "kind" | "label" | "device">): Told {
  if (kind === "api") return { text: `Token: ${visible(label || "without a name")}` };
  const raw = visible(device ?? "").trim();
  const terminal = TERMINAL.exec(raw);
  if (terminal || kind === "cli") {
    const host = terminal?.[1] ?? terminal?.[2] ?? (terminal ? undefined : label || raw || undefined);
    return { text: host ? `Command line (roost) on ${visible(host)}` : "Command line (roost)" };
  }
  if (raw === "") return { text: "Unknown device" };
  const [browser, system] = [first(BROWSERS, raw), first(SYSTEMS, raw)];
  if (browser) return { text: system ? `${browser} on ${system}` : browser, raw };
  return raw.length > SHORT ? { text: `${raw.slice(0, SHORT)}…`, raw } : { text: raw };
}
