// What the console shows: what the gateway lists, and after it what this page has just started.
import type { Problem } from "~/api/problem";
import type { Command } from "./history";
import type { Started } from "./started";

export interface Entry {
  key: string;
  op: string | undefined;
  /** What was typed here; the gateway's own record says it later. */
  text: string;
  at: string;
  command: Command | undefined;
  problem: Problem | undefined;
}

/** Oldest first, each once. A page that was asked again may repeat a line of the page before. */
export function entriesOf(listed: Command[], started: Started[], since: string | undefined): Entry[] {
  const own = new Map(started.map((one) => [one.op, one]));
  const seen = new Set<string>();
  const entries: Entry[] = [];
  for (const command of listed) {
    if (seen.has(command.id)) continue;
    seen.add(command.id);
    entries.unshift({
      // The element of a command stays when the gateway begins to list it.
      key: own.get(command.id)?.key ?? command.id,
      op: command.id,
      text: command.command ?? "",
      at: command.started_at ?? command.created_at,
      command,
      problem: undefined,
    });
  }
  const fresh = started.filter(({ op }) => !op || !seen.has(op));
  for (const { key, op, command: text, at, problem } of fresh)
    entries.push({ key, op, text, at, command: undefined, problem });
  return since === undefined ? entries : entries.filter(({ at }) => at > since);
}
