// What is worth telling somebody who looked elsewhere, worked out from what the gateway says. Pure.
import type { Door } from "~/api/doors";
import type { Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import type { Claw, NodeLine } from "~/api/types";
import { asked } from "~/ui/door-words";
import { withoutTicks } from "~/ui/inline-code";
import { visible } from "~/ui/visible";

export type NoticeKind =
  | "node-offline"
  | "node-back"
  | "sandbox-lost"
  | "sandbox-failed"
  | "placement-fallback"
  | "door-asked"
  | "run-done"
  | "run-failed"
  | "run-rejected"
  | "run-waits"
  | "mission-done"
  | "mission-failed"
  | "mission-stuck"
  | "quota-refused"
  | "export-done"
  | "export-failed";

export interface Notice {
  /** The same thing, seen twice or by two tabs, has the same id. */
  id: string;
  kind: NoticeKind;
  /** When it was noticed, in ms. */
  at: number;
  /** Of the machine, agent or team, or what was refused. */
  name: string;
  /** Where more about it is. */
  thing?: { kind: "node" | "agent" | "team" | "door" | "run" | "mission"; id: string };
  /** A reason or a count, in words. */
  more?: string;
  read: boolean;
}

/** How things stood when they were last looked at, kept over visits, so that a change in between is noticed. */
export interface Standing {
  nodes: Record<string, "here" | "away">;
  /** State of each agent's sandbox, by agent. */
  sandboxes: Record<string, string>;
  /** Requests that were told of. */
  doors?: Record<string, true>;
  /** How the newest runs stood, by run. Absent until they were looked at once. */
  runs?: Record<string, string>;
  /** The same of the newest missions. */
  missions?: Record<string, string>;
}

export const NOTHING: Standing = { nodes: {}, sandboxes: {} };
export const KEEP = 100;
const KEEP_CLEARED = 300;

/** What a browser keeps. */
export interface Kept {
  notices: Notice[];
  standing: Standing;
  /** Ids of what was cleared away, so that no tab brings it back. */
  cleared: string[];
  /** How many there were since they were cleared, also those that are not kept. Absent before the first one. */
  total?: number | undefined;
}

export const EMPTY: Kept = { notices: [], standing: NOTHING, cleared: [] };
const LONGEST = 200;
const short = (name: string) => name.slice(0, LONGEST);

/** Only two ends: a machine that is suspected for a moment is neither here nor away. Being connected is not said in a line. */
function presence({ status, connection }: NodeLine): "here" | "away" | undefined {
  if (status === "pending" || connection === "suspect") return undefined;
  return status === "offline" || connection === "disconnected" ? "away" : "here";
}

/** What changed for the worse, or back, since `before`. A thing that is seen for the first time is no news. */
export function compareNodes(before: Standing, nodes: NodeLine[], now: number): [Notice[], Standing] {
  const notices: Notice[] = [];
  const seen: Standing["nodes"] = {};
  for (const node of nodes) {
    const was = before.nodes[node.id];
    const is = presence(node) ?? was;
    if (is === undefined) continue;
    seen[node.id] = is;
    if (was === undefined || was === is) continue;
    const lastSeen = (node.seen ?? Number.NaN) * 1000;
    notices.push({
      id: `node:${node.id}:${is}:${node.rev}`,
      kind: is === "away" ? "node-offline" : "node-back",
      // Since when it is away is known better than when this was noticed.
      at: is === "away" && Number.isFinite(lastSeen) ? Math.min(lastSeen, now) : now,
      name: short(node.name),
      thing: { kind: "node", id: node.id },
      read: false,
    });
  }
  return [notices, { ...before, nodes: seen }];
}

export function compareAgents(before: Standing, claws: Claw[], now: number): [Notice[], Standing] {
  const notices: Notice[] = [];
  const seen: Standing["sandboxes"] = {};
  for (const claw of claws) {
    if (claw.deleted_at || !claw.sandbox) continue;
    const { state, id, node_name } = claw.sandbox;
    seen[claw.id] = `${id}:${state}`;
    const was = before.sandboxes[claw.id];
    if (was === undefined || was === seen[claw.id] || (state !== "lost" && state !== "failed")) continue;
    notices.push({
      id: `sandbox:${id}:${state}`,
      kind: state === "lost" ? "sandbox-lost" : "sandbox-failed",
      at: now,
      name: short(claw.name),
      thing: { kind: "agent", id: claw.id },
      more: short(node_name),
      read: false,
    });
  }
  return [notices, { ...before, sandboxes: seen }];
}

/** Agents that ask for an action outside, also while nobody looked. What they name is a stranger's text. */
export function compareDoors(before: Standing, waiting: Door[], now: number): [Notice[], Standing] {
  const known = before.doors ?? {};
  const notices = waiting
    .filter(({ id }) => !(id in known))
    .map((door): Notice => ({
      id: `door:${door.id}`,
      kind: "door-asked",
      at: Math.min(Date.parse(door.created_at) || now, now),
      name: short(door.agent_name),
      thing: { kind: "door", id: door.id },
      more: asked(short(door.action), short(door.target)),
      read: false,
    }));
  return [notices, { ...before, doors: Object.fromEntries(waiting.map(({ id }) => [id, true as const])) }];
}

/** A run that ended long ago is no news, whenever it comes into sight. */
const NEWS_MS = 86_400_000;

type Told = Pick<Notice, "kind" | "more">;

const why = (text: string | null | undefined) => visible(withoutTicks(short(text ?? "")));

/** What a person has to know of a run that stands like this; nothing while it works, and nothing of one that was cancelled. */
function ofRun(run: RunSummary): Told | undefined {
  if (run.status === "failed") return { kind: "run-failed", more: why(run.error) };
  if (run.status === "completed" && run.outcome === "rejected")
    return { kind: "run-rejected", more: why(run.outcome_reason) };
  if (run.status === "completed") return { kind: "run-done", more: run.outcome ?? "" };
  // What an agent asks a person for has a notification of its own. A run that waits for its own parts is at work, and a
  // person knows of a pause.
  if (run.status !== "cancelled" && run.waiting_on && run.waits_for?.type === "machine")
    return { kind: "run-waits", more: why(run.waiting_on) };
  return undefined;
}

/** The runs that `me` started, or nobody: how they ended, and what they wait for. */
export function compareRuns(
  before: Standing,
  runs: readonly RunSummary[],
  me: string,
  now: number,
): [Notice[], Standing] {
  const notices: Notice[] = [];
  const seen: Record<string, string> = {};
  for (const run of runs) {
    if (run.created_by && run.created_by.id !== me) continue;
    const told = ofRun(run);
    seen[run.id] = told?.kind ?? "";
    const at = Date.parse((told?.kind === "run-waits" ? run.waiting_since : run.ended_at) ?? "") || now;
    if (!before.runs || !told || before.runs[run.id] === told.kind || now - at > NEWS_MS) continue;
    notices.push({
      id: `run:${run.id}:${told.kind}:${at}`,
      ...told,
      at: Math.min(at, now),
      name: short(visible(run.title)) || "A run",
      thing: { kind: "run", id: run.id },
      read: false,
    });
  }
  return [notices, { ...before, runs: seen }];
}

const STUCK: Record<NonNullable<Mission["status_reason"]>, string> = {
  person: "A person ended it.",
  phase_failed: "A phase failed.",
  node_deleted: "Its machine was deleted.",
  runtime_failed: "Its runtime failed.",
};

/** What a person has to know of a mission: how it ended, or that something paused it. A pause by a person is no news. */
function ofMission({ status, status_reason: reason, status_detail }: Mission): Told | undefined {
  const more = why(status_detail) || (reason ? STUCK[reason] : "");
  if (status === "completed") return { kind: "mission-done" };
  if (status === "failed") return { kind: "mission-failed", more };
  if (status === "paused" && reason && reason !== "person") return { kind: "mission-stuck", more };
  return undefined;
}

/** The missions that `me` launched, or nobody. */
export function compareMissions(
  before: Standing,
  missions: readonly Mission[],
  me: string,
  now: number,
): [Notice[], Standing] {
  const notices: Notice[] = [];
  const seen: Record<string, string> = {};
  for (const mission of missions) {
    if (mission.created_by && mission.created_by.id !== me) continue;
    const told = ofMission(mission);
    seen[mission.id] = told?.kind ?? "";
    const at = Date.parse(mission.ended_at ?? mission.updated_at) || now;
    if (!before.missions || !told || before.missions[mission.id] === told.kind || now - at > NEWS_MS)
      continue;
    notices.push({
      id: `mission:${mission.id}:${told.kind}:${at}`,
      ...told,
      at: Math.min(at, now),
      name: short(visible(mission.title)) || "A mission",
      thing: { kind: "mission", id: mission.id },
      read: false,
    });
  }
  return [notices, { ...before, missions: seen }];
}

/** Newest first, each once, the oldest forgotten. What is known already keeps whether it was read. */
export function add(notices: Notice[], fresh: Notice[]): Notice[] {
  const known = new Set(notices.map(({ id }) => id));
  const news = fresh.filter(({ id }) => !known.has(id));
  if (news.length === 0) return notices;
  return [...notices, ...news].toSorted(newestFirst).slice(0, KEEP);
}

/** How many of `fresh` were not known. */
export const countNew = (notices: readonly Notice[], fresh: readonly Notice[]): number => {
  const known = new Set(notices.map(({ id }) => id));
  return new Set(fresh.map(({ id }) => id).filter((id) => !known.has(id))).size;
};

/** How many notifications there were, where some are not kept. */
export const countAll = ({ notices, total = 0 }: Pick<Kept, "notices" | "total">): number =>
  notices.length < KEEP ? notices.length : Math.max(total, notices.length);

const newestFirst = (a: Notice, b: Notice) => b.at - a.at || (a.id < b.id ? -1 : 1);

/**
 * What two tabs know, in one. Two that write at the same moment overwrite each other, because a browser's storage has no
 * transactions. So each puts its own to what it finds: what was noticed, read or cleared by either is so afterwards, and
 * the order of the two makes no difference.
 */
export function merge(stored: Kept, own: Kept): Kept {
  const cleared = [...new Set([...stored.cleared, ...own.cleared])].toSorted().slice(-KEEP_CLEARED);
  const gone = new Set(cleared);
  const read = new Set([...stored.notices, ...own.notices].filter((one) => one.read).map(({ id }) => id));
  const notices = add(stored.notices, own.notices)
    .filter(({ id }) => !gone.has(id))
    .map((one) => (one.read || !read.has(one.id) ? one : { ...one, read: true }))
    .toSorted(newestFirst);
  // What is stored is newer: it may have been cleared.
  return { notices, standing: stored.standing, cleared, total: stored.total ?? own.total };
}

export const unread = (notices: Notice[]) => notices.filter(({ read }) => !read).length;
