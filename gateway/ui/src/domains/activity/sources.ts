// The lists of the gateway that tell what happened to an agent, a team, a machine or the workspace.
import type { Door } from "~/api/doors";
import { api } from "~/api/client";
import { addressOf, type Owner } from "~/api/sandboxes";
import type { AuditEntry } from "~/api/types";
import type { Entry, Slice } from "./model";
import { ofActivity, ofAudit, ofCommand, ofDoor, ofMachine, ofRun } from "./words";

export type Scope =
  /** `team`: in whose sandbox the agent works. */
  | { kind: "agent"; id: string; team?: string | undefined }
  /** `shared`: all work in the sandbox of the team. */
  | { kind: "team"; id: string; members: string[]; shared: boolean }
  | { kind: "node"; id: string }
  /** `changes`: what people changed, too. `commands`: those in all sandboxes, too. */
  | { kind: "workspace"; changes: boolean; commands: boolean };

export interface Rights {
  audit: boolean;
  doors: boolean;
}

export interface Source {
  id: string;
  /** What the page says of it when it could not be loaded. */
  what: string;
  ask: (cursor: string | undefined, failed: boolean, signal: AbortSignal) => Promise<Slice>;
}

const LIMIT = 50;

interface Paged<T> {
  items: T[];
  next_cursor?: string | null;
}

/** Ids do not always grow with time, so the oldest thing of a page need not be its last. */
function slice<T>(page: Paged<T>, at: (item: T) => string, entry: (item: T) => Entry | undefined): Slice {
  const times = page.items.map(at).toSorted();
  return {
    entries: page.items.map(entry).filter((one) => one !== undefined),
    next: page.next_cursor ?? undefined,
    until: times[0],
  };
}

const created = ({ created_at }: { created_at: string }) => created_at;

function commands(owner: Owner, only?: string): Source {
  const { at, path } = addressOf(owner);
  return {
    id: `commands:${owner.id}`,
    what: "Commands",
    ask: async (cursor, failed, signal) => {
      const query = { limit: LIMIT, cursor, failed: failed || undefined };
      const page = await api.get(`${at}/sandbox/commands`, { path, query, signal });
      return slice(page, created, (one) =>
        only === undefined || one.agent?.id === only ? ofCommand(one) : undefined,
      );
    },
  };
}

/** Commands in the sandboxes of some owners, or of the whole workspace. */
const commandsOf = (owners?: string[]): Source => ({
  id: "commands",
  what: "Commands",
  ask: async (cursor, failed, signal) => {
    const query = { owners: owners?.join(","), limit: LIMIT, cursor, failed: failed || undefined };
    const page = await api.get("/api/sandboxes/commands", { query, signal });
    return slice(page, created, ofCommand);
  },
});

/** Runs of a team, of an agent alone, or of the workspace. `quiet`: they only give what was done for them a name. */
const runs = (of: { team_id?: string; agent_id?: string; all?: boolean }, quiet = false): Source => ({
  id: `runs:${of.team_id ?? of.agent_id ?? ""}`,
  what: "Runs",
  ask: async (cursor, _failed, signal) => {
    const page = await api.get("/api/topology-runs", { query: { ...of, limit: LIMIT, cursor }, signal });
    return slice(page, created, (run) =>
      // A run that another run started is part of it.
      of.all && run.parent_run_id ? undefined : { ...ofRun(run), quiet },
    );
  },
});

const doors = (agent_id?: string, fits: (door: Door) => boolean = () => true): Source => ({
  id: "doors",
  what: "Approvals",
  ask: async (cursor, _failed, signal) => {
    const page = await api.get("/api/doors", { query: { limit: LIMIT, cursor, agent_id }, signal });
    return slice(page, created, (door) => (fits(door) ? ofDoor(door) : undefined));
  },
});

const audit = (of: { entity_kind?: string; entity_id?: string }, hidden?: RegExp): Source => ({
  id: "audit",
  what: "Changes",
  ask: async (cursor, _failed, signal) => {
    const page = await api.get("/api/audit", { query: { ...of, limit: LIMIT, cursor }, signal });
    return slice(
      page,
      ({ at }: AuditEntry) => at,
      (one) => (hidden?.test(one.action) ? undefined : ofAudit(one)),
    );
  },
});

/** What another list tells in more words. */
const TOLD = /^(door\.|sandbox\.(exec|shell)$)/;

const history = (id: string): Source => ({
  id: "history",
  what: "Events and changes",
  ask: async (cursor, _failed, signal) => {
    const page = await api.get("/api/claws/{id}/activity", {
      path: { id },
      query: { limit: LIMIT, cursor },
      signal,
    });
    return slice(
      page,
      ({ at }) => at,
      (one) => (TOLD.test(one.what) ? undefined : ofActivity(one, id)),
    );
  },
});

const operations = (id: string): Source => ({
  id: "operations",
  what: "Operations",
  ask: async (cursor, _failed, signal) => {
    const page = await api.get("/api/nodes/{id}/operations", {
      path: { id },
      query: { limit: LIMIT, cursor },
      signal,
    });
    return slice(page, created, ofMachine);
  },
});

/** What the runs of the workspace and its approvals tell by themselves, and sign-ins, which the audit log has. */
const ELSEWHERE = /^(door\.|session\.|run\.started$)/;
/** The same, with the commands listed. */
const ELSEWHERE_OR_TOLD = /^(door\.|session\.|run\.started$|sandbox\.(exec|shell)$)/;

export function sourcesOf(scope: Scope, { audit: reads, doors: asks }: Rights): Source[] {
  const given = (...all: (Source | false | undefined)[]) => all.filter((one): one is Source => Boolean(one));
  switch (scope.kind) {
    case "agent":
      return given(
        commands({ kind: "claw", id: scope.id }),
        scope.team !== undefined && commands({ kind: "team", id: scope.team }, scope.id),
        history(scope.id),
        runs({ agent_id: scope.id }),
        scope.team !== undefined && runs({ team_id: scope.team }, true),
        asks && doors(scope.id),
      );
    case "team": {
      const members = new Set(scope.members);
      return given(
        commandsOf([scope.id, ...(scope.shared ? [] : scope.members)]),
        runs({ team_id: scope.id }),
        asks && doors(undefined, ({ agent_id }) => members.has(agent_id)),
        reads && audit({ entity_kind: "team", entity_id: scope.id }),
      );
    }
    case "node":
      return given(operations(scope.id), reads && audit({ entity_kind: "node", entity_id: scope.id }));
    case "workspace":
      return given(
        runs({ all: true }),
        asks && doors(),
        reads && scope.changes && audit({}, scope.commands ? ELSEWHERE_OR_TOLD : ELSEWHERE),
        scope.commands && commandsOf(),
      );
  }
}
