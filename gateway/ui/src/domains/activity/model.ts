// What happened, as lines that belong together: by run, and by command. Pure.
import type { Owner } from "~/api/sandboxes";
import type { Tone } from "~/ui/status";

export type Who =
  | { kind: "person"; id?: string | undefined; name: string }
  | { kind: "agent"; id: string; name?: string | undefined }
  /** An agent that works in the sandbox of this agent or team: the gateway does not say which. */
  | { kind: "inside"; place: string }
  /** A person, and the gateway does not say who. */
  | { kind: "somebody" }
  | { kind: "roost" };

export interface Result {
  tone: Tone;
  word: string;
  /** Longer explanation, shown as tooltip. */
  title?: string | undefined;
}

export type Target = { to: "/claws/$id" | "/teams/$id" | "/fleet/$id" | "/runs/$id"; id: string };

/** One thing that happened, as a sentence: who, then `before`, the thing, and `after`. */
export interface Entry {
  id: string;
  at: string;
  who: Who;
  before: string;
  thing?: { text: string; to?: Target | undefined } | undefined;
  after?: string | undefined;
  /** A command as it was written. */
  code?: string | undefined;
  results: Result[];
  /** Why, in the words of the person who decided, or of the program that failed. It may have inline code. */
  detail?: string | undefined;
  /** Duration, ms. */
  took?: number | null | undefined;
  /** When it began, while it has not ended. */
  since?: string | undefined;
  cost?: number | undefined;
  run?: string | undefined;
  step?: string | undefined;
  /** It tells of this run itself. */
  isRun?: boolean;
  /** The team or the agent that got the work. */
  worker?: string | undefined;
  /** Known only for its name: it is not shown by itself. */
  quiet?: boolean;
  /** The same operation is told in more words by another list. */
  thin?: boolean;
  /** The id of the agent or team in whose sandbox it happened. */
  place?: string | undefined;
  command?: { owner: Owner | undefined; op: string; size: number | undefined } | undefined;
}

/** All, with failures first, or failures only. */
export type Look = "all" | "first" | "only";

export const LOOKS: readonly (readonly [Look, string])[] = [
  ["all", "Newest first"],
  ["first", "Failures first"],
  ["only", "Only failures"],
];

export const lookOf = (text: string | undefined): Look => LOOKS.find(([look]) => look === text)?.[0] ?? "all";

export const isFailed = ({ results }: Pick<Entry, "results">) =>
  results.some(({ tone }) => tone === "failed");

/** A part of a list: what it told, and until when, where it has more. */
export interface Slice {
  entries: Entry[];
  next?: string | undefined;
  /** The time of the oldest thing that it told, shown or not. */
  until?: string | undefined;
}

const newestFirst = (a: Entry, b: Entry) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id);

/**
 * The entries of several lists in one order, each once. A list that has older parts is known only until the oldest thing
 * that was read of it: nothing older is shown, because something of that list may belong before it.
 */
export function entriesOf(pages: readonly (readonly (Slice & { id: string })[])[]): Entry[] {
  const last = new Map<string, Slice>();
  const found = new Map<string, Entry>();
  for (const slice of pages.flat()) {
    last.set(slice.id, slice);
    for (const entry of slice.entries) {
      const known = found.get(entry.id);
      // What two pages hold is shown once; of two lists the one that says more.
      if (!known || (known.thin && !entry.thin)) found.set(entry.id, entry);
    }
  }
  let horizon = "";
  for (const { next, until } of last.values()) if (next && until && until > horizon) horizon = until;
  return [...found.values()].filter(({ at }) => at >= horizon).toSorted(newestFirst);
}

/** A line, with earlier ones that were exactly the same. */
export interface Line {
  id: string;
  entry: Entry;
  same: Entry[];
}

/** A run with what was done for it, or one thing alone. */
export interface Group {
  id: string;
  run?: { id: string; entry: Entry | undefined } | undefined;
  lines: Line[];
  failed: boolean;
}

const signature = ({ who, before, thing, code, results, step, command }: Entry) =>
  command && JSON.stringify([who, before, thing?.text, code, results.map(({ word }) => word), step]);

/** Commands that follow each other and are the same in everything are one line. */
function linesOf(entries: readonly Entry[]): Line[] {
  const lines: Line[] = [];
  for (const entry of entries) {
    const before = lines.at(-1);
    const sign = entry.since === undefined ? signature(entry) : undefined;
    if (before && sign && before.entry.since === undefined && signature(before.entry) === sign) {
      before.same.push(entry);
      // The oldest one names the line, so a newer one makes no other line of it.
      before.id = entry.id;
    } else lines.push({ id: entry.id, entry, same: [] });
  }
  return lines;
}

const failedFirst = <T>(all: T[], failed: (one: T) => boolean): T[] => [
  ...all.filter(failed),
  ...all.filter((one) => !failed(one)),
];

/** In the order of the newest thing of each group. */
export function groupsOf(entries: readonly Entry[], look: Look): Group[] {
  const wanted = look === "only" ? entries.filter(isFailed) : entries;
  const runs = new Map(entries.filter(({ isRun }) => isRun).map((entry) => [entry.run, entry]));
  const parts: { key: string; run: string | undefined; entries: Entry[] }[] = [];
  const ofRun = new Map<string, (typeof parts)[number]>();
  let alone: (typeof parts)[number] | undefined;
  for (const entry of wanted) {
    if (entry.quiet) continue;
    if (entry.run === undefined) {
      if (!alone || parts.at(-1) !== alone)
        parts.push((alone = { key: entry.id, run: undefined, entries: [] }));
      alone.entries.push(entry);
      continue;
    }
    let part = ofRun.get(entry.run);
    if (!part) {
      part = { key: `run:${entry.run}`, run: entry.run, entries: [] };
      ofRun.set(entry.run, part);
      parts.push(part);
    }
    if (!entry.isRun) part.entries.push(entry);
  }
  const groups = parts.flatMap(({ key, run, entries }): Group[] => {
    const lines = linesOf(entries);
    if (run === undefined)
      return lines.map((line) => ({ id: line.id, lines: [line], failed: isFailed(line.entry) }));
    const head = runs.get(run);
    const failed = entries.some(isFailed) || (head !== undefined && isFailed(head));
    const order = look === "all" ? lines : failedFirst(lines, ({ entry }) => isFailed(entry));
    return [{ id: key, run: { id: run, entry: head }, lines: order, failed }];
  });
  return look === "first" ? failedFirst(groups, ({ failed }) => failed) : groups;
}

const entryIds = (groups: readonly Group[]) =>
  new Set(
    groups.flatMap(({ id, run, lines }) => [
      ...(run ? [id] : []),
      ...lines.flatMap(({ entry, same }) => [entry.id, ...same.map((one) => one.id)]),
    ]),
  );

/** Those of `current` that stand behind all that is shown: older ones, which move nothing. */
function behind<T extends { id: string }>(shown: readonly T[], current: readonly T[]): T[] {
  const ids = new Set(shown.map(({ id }) => id));
  return current.slice(current.findLastIndex(({ id }) => ids.has(id)) + 1);
}

/** What to show while somebody reads: the same lines at the same places, with what is known of them now. */
export function holdGroups(shown: readonly Group[], current: readonly Group[]) {
  const now = new Map(current.map((group) => [group.id, group]));
  const fresh = new Map(current.flatMap(({ lines }) => lines.map((line) => [line.id, line] as const)));
  const kept = shown.map((group): Group => {
    const { run = group.run, failed = group.failed, lines = group.lines } = now.get(group.id) ?? {};
    const known = group.lines.map((line) => fresh.get(line.id) ?? line);
    return { ...group, run, failed, lines: [...known, ...behind(group.lines, lines)] };
  });
  const groups = [...kept, ...behind(shown, current)];
  const known = entryIds(groups);
  const waiting = [...entryIds(current)].filter((id) => !known.has(id)).length;
  return { groups, waiting };
}
