// What needs a person, as a function of what the gateway says.
import type { Door } from "~/api/doors";
import type { LevelUpBrief } from "~/api/levelups";
import type { Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import type { AppConnection, NodeLine, RepoConnection } from "~/api/types";
import { appName } from "~/ui/app-name";
import { nodeState } from "~/ui/node-state";
import type { Tone } from "~/ui/status";
import { visible } from "~/ui/visible";
import { isBad } from "./usage";

const DAY_MS = 86_400_000;
/** How long a run that failed or was rejected asks for a person. */
export const RECENT_DAYS = 3;

/** Everything that is known; a list that could not be loaded is empty, and its section says so. */
export interface Facts {
  doors: readonly Door[];
  runs: readonly RunSummary[];
  /** Those that are paused. */
  missions: readonly Mission[];
  nodes: readonly NodeLine[];
  connections: readonly AppConnection[];
  hosts: readonly RepoConnection[];
  /** Those that wait for a decision. */
  levelUps: readonly LevelUpBrief[];
  /** What an action is called. */
  actions: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, string>;
  teams: ReadonlyMap<string, string>;
}

export interface Need {
  id: string;
  tone: Tone;
  /** The state, in a word. */
  word: string;
  /** A sentence, subject first. Names of people and agents in it are shown with every hidden character. */
  says: string;
  why?: string | undefined;
  /** Since when. */
  at?: string | undefined;
  /** Until when it can be decided. */
  until?: string | undefined;
  to:
    | { to: "/connections" | "/repos" }
    | { to: "/approvals/$id" | "/runs/$id" | "/missions/$id" | "/fleet/$id"; id: string }
    | { to: "/claws/$id" | "/teams/$id"; id: string; proposal: string };
  /** A person may put it aside. Everything else goes only when it is solved. */
  dismiss?: boolean;
}

const oldest = (a: { created_at: string }, b: { created_at: string }) =>
  a.created_at.localeCompare(b.created_at);

const approvals = ({ doors, actions }: Facts): Need[] =>
  doors
    .filter(({ state }) => state === "pending")
    .toSorted(oldest)
    .map((door) => ({
      id: `door:${door.id}`,
      tone: "waiting",
      word: "Approval",
      says: `${visible(door.agent_name)} asks for approval: ${(actions.get(door.action) ?? door.action).replace(/\.$/, "")}`,
      why: visible(door.target),
      at: door.created_at,
      until: door.expires_at,
      to: { to: "/approvals/$id", id: door.id },
    }));

/** The newest proposal first: it is made from the newest runs. */
const proposals = ({ levelUps, agents, teams }: Facts): Need[] =>
  levelUps.map((one) => {
    const { length } = one.payload.items;
    const name = one.team_id ? teams.get(one.team_id) : agents.get(one.agent_id ?? "");
    const whose = name === undefined ? (one.team_id ? "a team" : "an agent") : visible(name);
    return {
      id: `level_up:${one.id}`,
      tone: "waiting",
      word: "Level-up",
      says: `A level-up of ${whose} has ${length} proposed ${length === 1 ? "change" : "changes"}`,
      why: visible(one.payload.items.map(({ summary }) => summary).join(" · ")),
      at: one.created_at,
      to: one.team_id
        ? { to: "/teams/$id", id: one.team_id, proposal: one.id }
        : { to: "/claws/$id", id: one.agent_id ?? "", proposal: one.id },
    };
  });

/** A later run that does the same work again, and did not end badly. */
const answers = (later: RunSummary, run: RunSummary) =>
  later.created_at > run.created_at &&
  !isBad(later) &&
  later.status !== "cancelled" &&
  (later.forked_from === run.id ||
    (later.title === run.title && later.team_id === run.team_id && later.agent_id === run.agent_id));

/** A mission that a person paused waits on purpose. */
const isStuck = ({ status, status_reason }: Mission) =>
  status === "paused" && status_reason != null && status_reason !== "person";

const STUCK: Record<string, string> = {
  phase_failed: "a phase failed",
  node_deleted: "its machine was deleted",
  runtime_failed: "its runtime failed",
};

const stuck = ({ missions }: Facts): Need[] =>
  missions
    .filter(isStuck)
    .toSorted(oldest)
    .map((mission) => ({
      id: `mission:${mission.id}`,
      tone: "failed",
      word: "Mission",
      says: `${visible(mission.title)} waits for you: ${STUCK[mission.status_reason ?? ""] ?? "something failed"}`,
      why: visible(mission.status_detail ?? ""),
      at: mission.updated_at,
      to: { to: "/missions/$id", id: mission.id },
    }));

function badRuns({ runs, missions }: Facts, now: number): Need[] {
  const since = now - RECENT_DAYS * DAY_MS;
  // Its mission says already that it needs a person.
  const told = new Set(missions.filter(isStuck).map(({ id }) => id));
  return runs
    .filter(({ mission_id }) => mission_id == null || !told.has(mission_id))
    .filter((run) => isBad(run) && Date.parse(run.ended_at ?? run.created_at) >= since)
    .filter((run) => !runs.some((later) => answers(later, run)))
    .map((run) => {
      const failed = run.status === "failed";
      return {
        id: `run:${run.id}`,
        tone: "failed",
        word: failed ? "Failed" : "Rejected",
        says: visible(run.title) || "untitled",
        why: visible((failed ? run.error : run.outcome_reason) ?? ""),
        at: run.ended_at ?? run.created_at,
        to: { to: "/runs/$id", id: run.id },
        dismiss: true,
      };
    });
}

const TROUBLES: Record<string, string> = {
  cloned: "Another machine uses its identity.",
  wrong_install: "Roost is not installed there as it has to be.",
  bad_hello: "Its daemon reports something that this gateway cannot read.",
  engine: "Its container engine does not work.",
  image: "It lacks the agent image.",
  total: "It lends sandboxes more than it has.",
  clock: "Its clock is wrong.",
};

function machine(node: NodeLine): Need | undefined {
  const { tone, word, why } = nodeState(node);
  const base = {
    id: `node:${node.id}`,
    at: node.seen ? new Date(node.seen * 1000).toISOString() : undefined,
    to: { to: "/fleet/$id", id: node.id } as const,
  };
  const name = visible(node.name);
  // A machine that was emptied, or that its owner paused, was taken out of work on purpose.
  if (node.drained || node.status === "pending" || node.status === "draining") return undefined;
  if (word === "Offline") {
    const holds = `${node.sandboxes} ${node.sandboxes === 1 ? "sandbox waits" : "sandboxes wait"} there.`;
    return { ...base, tone, word, says: `${name} is offline`, why: node.sandboxes > 0 ? holds : undefined };
  }
  if (word === "Incompatible") return { ...base, tone, word, says: `${name} needs another version`, why };
  const trouble = (node.problems ?? []).find((code) => code !== "paused");
  if (trouble === undefined) return undefined;
  return {
    ...base,
    at: undefined,
    tone: "warning",
    word: "Problem",
    says: `${name} has a problem`,
    why: TROUBLES[trouble] ?? "Its page says what to do.",
  };
}

function lost(one: AppConnection, agents: Facts["agents"], now: number): Need | undefined {
  const over = !one.renewable && one.expires_at != null && Date.parse(one.expires_at) <= now;
  if (one.state !== "needs_reauth" && one.state !== "missing" && !(one.state === "ready" && over))
    return undefined;
  const whose = agents.get(one.agent_id ?? "");
  return {
    id: `connection:${one.id}`,
    tone: "warning",
    word: "Connection",
    says: `${visible(appName(one.provider))}${whose === undefined ? "" : ` of ${visible(whose)}`} has to be connected again`,
    why: over
      ? "Its token has expired."
      : one.state === "missing"
        ? "Its token is gone."
        : "The app asks for a new sign-in.",
    to: { to: "/connections" },
  };
}

const unsynced = (host: RepoConnection): Need | undefined =>
  host.last_sync_error
    ? {
        id: `host:${host.id}`,
        tone: "warning",
        word: "Code host",
        says: `Repositories of ${visible(host.label)} could not be read`,
        why: visible(host.last_sync_error),
        to: { to: "/repos" },
      }
    : undefined;

const isNeed = (one: Need | undefined): one is Need => one !== undefined;

/** Decisions first, which hold agents up; then work that went wrong, the newest first; then what is broken; then what can wait. */
export function needsPerson(facts: Facts, now: number): Need[] {
  return [
    ...approvals(facts),
    ...stuck(facts),
    ...badRuns(facts, now).toSorted((a, b) => (b.at ?? "").localeCompare(a.at ?? "")),
    ...facts.nodes.map(machine).filter(isNeed),
    ...facts.connections.map((one) => lost(one, facts.agents, now)).filter(isNeed),
    ...facts.hosts.map(unsynced).filter(isNeed),
    ...proposals(facts),
  ];
}
