// Sandboxes of the mock with their commands and saved files, over HTTP. The three kinds of owners have the same routes.
import { lineOf, makeExec, streamExec, type Exec } from "./exec.ts";
import { newId } from "./ids.ts";
import { must, Refusal } from "./refusal.ts";
import type { Asked, AskedOf, At, Routes } from "./route.ts";
import { clawOf, touch } from "./routes-claws.ts";
import { one as missionOf } from "./routes-missions.ts";
import { found } from "./routes-teams.ts";
import type { Claw, Sandbox, Schemas } from "./schema.ts";
import { changesOf, fileOf, folderOf, historyOf, known } from "./snapshots.ts";
import { brief, makeSandbox } from "./state.ts";

/** What differs between the kinds of owners. */
interface Kind {
  kind: Schemas["SandboxOwnerKind"];
  /** The id of the owner; a refusal where there is none. */
  find: (at: AskedOf) => string;
  /** Refuses an owner that may have no sandbox. */
  allow: (at: AskedOf) => void;
  /** The machine that the owner itself names. */
  machine: (at: AskedOf) => string | null | undefined;
  /** Tells of a new sandbox, or that there is none any more. */
  changed: (at: AskedOf, sandbox: Sandbox | null) => void;
  fallback: (id: string) => Pick<Schemas["PlacementFallback"], "agentId" | "teamId">;
}

const AGENT: Kind = {
  kind: "claw",
  find: (at) => clawOf(at).id,
  allow: () => {},
  machine: () => undefined,
  changed: (at, sandbox) => {
    const change: Partial<Claw> = sandbox
      ? { sandbox: brief(sandbox), status: "idle" }
      : { sandbox: null, status: "offline" };
    touch(at, clawOf(at), change);
  },
  fallback: (id) => ({ agentId: id }),
};

const teamOf = ({ state, params }: AskedOf) => found(state.teams.list, params.id, "team");
const TEAM: Kind = {
  kind: "team",
  find: (at) => teamOf(at).id,
  allow: (at) => {
    if (!teamOf(at).shared_sandbox)
      throw new Refusal(409, "conflict", "This conflicts with the present state", {
        detail: "The agents of this team do not share a sandbox. Each works in its own.",
      });
  },
  machine: (at) => teamOf(at).machine_id,
  changed: () => {},
  fallback: (id) => ({ teamId: id }),
};

const MISSION: Kind = {
  kind: "mission",
  find: (at) => missionOf(at).id,
  allow: () => {},
  machine: (at) => missionOf(at).target_node_id,
  changed: () => {},
  fallback: () => ({}),
};

type OfSnapshot = AskedOf & { params: { snapshot: string } };
type OfExec = AskedOf & { params: { operation_id: string } };

function execOf({ state, params }: Asked & { params: { operation_id: string } }): Exec {
  return must(state.execs.get(params.operation_id), "There is no such operation");
}

/** The routes of one kind of owner. */
function routesOf(kind: Kind) {
  function sandboxOf(at: AskedOf): Sandbox {
    const sandbox = at.state.sandboxes.get(kind.find(at));
    if (!sandbox)
      throw new Refusal(
        409,
        "no-sandbox",
        `This ${kind.kind === "claw" ? "agent" : kind.kind} has no sandbox`,
      );
    return sandbox;
  }
  const filesOf = (at: AskedOf, snapshot: string) => known(at.state, kind.find(at), snapshot).files;
  return {
    async provision(at: At<"POST /api/claws/{id}/sandbox">) {
      const { mock, state } = at;
      const owner = kind.find(at);
      kind.allow(at);
      const old = state.sandboxes.get(owner);
      const restored = at.body.restore
        ? must(historyOf(state, owner).find(({ snapshot }) => snapshot.id === at.body.restore)).snapshot
        : undefined;
      if (old?.state === "running" && restored)
        throw new Refusal(409, "conflict", "This conflicts with the present state", {
          detail:
            "There is a sandbox already. End it first, which saves its files; then make one from the snapshot.",
        });
      if (old?.state === "running") return { body: old };
      await new Promise((done) => setTimeout(done, 60));
      const { placement } = state;
      const node = kind.machine(at) ?? (placement.target === "node" ? placement.node_id : undefined);
      const wanted = state.nodes.find((one) => one.id === node);
      const usable = wanted?.status === "online" && wanted.connection === "connected";
      const sandbox = makeSandbox({ kind: kind.kind, id: owner }, usable ? wanted : undefined);
      if (wanted && !usable) {
        sandbox.fallback = { wanted: wanted.id, reason: "node_offline" };
        mock.hub.emit("placement.fallback", { ...kind.fallback(owner), ...sandbox.fallback });
      }
      if (restored)
        Object.assign(sandbox, {
          snapshot: restored,
          restored_from: { digest: restored.digest, taken_at: restored.taken_at },
        });
      state.sandboxes.set(owner, sandbox);
      kind.changed(at, sandbox);
      mock.hub.changed("sandbox", sandbox.id);
      return { status: 201, body: sandbox };
    },
    show: (at: AskedOf) => ({ body: sandboxOf(at) }),
    destroy(at: AskedOf) {
      const sandbox = sandboxOf(at);
      at.state.sandboxes.delete(at.params.id);
      kind.changed(at, null);
      at.mock.hub.changed("sandbox", sandbox.id, 2);
      return { status: 204 };
    },
    put(at: AskedOf) {
      const { state, query, raw } = at;
      sandboxOf(at);
      state.put = { query: query.toString(), archive: raw };
      const folder = `/workspace/${query.get("folder") ?? ""}`;
      return { body: { operation_id: newId(), folder, bytes: raw.length } };
    },
    snapshots(at: AskedOf) {
      const all = historyOf(at.state, kind.find(at)).map(({ snapshot }) => snapshot);
      const from = Number(at.query.get("cursor") ?? 0);
      const next = from + Number(at.query.get("limit") ?? 50);
      return {
        body: { items: all.slice(from, next), next_cursor: next < all.length ? String(next) : null },
      };
    },
    folder: (at: OfSnapshot) => ({
      body: folderOf(filesOf(at, at.params.snapshot), at.query.get("path") ?? ""),
    }),
    file(at: OfSnapshot): undefined {
      if (at.state.role === "viewer") throw new Refusal(403, "forbidden", "This is not allowed");
      const content = fileOf(filesOf(at, at.params.snapshot), at.query.get("path") ?? "");
      at.response.writeHead(200, {
        "content-type": "application/octet-stream",
        "content-length": String(content.length),
        "content-disposition": "attachment",
      });
      at.response.end(content);
      return undefined;
    },
    /** What a tar archive holds is tested with the gateway: here its address and its name matter. */
    archive(at: OfSnapshot): undefined {
      const path = at.query.get("path") ?? "";
      if (path) folderOf(filesOf(at, at.params.snapshot), path);
      at.response.writeHead(200, {
        "content-type": "application/x-tar",
        "content-disposition": "attachment",
      });
      at.response.end(Buffer.alloc(1024));
      return undefined;
    },
    diff: (at: OfSnapshot) => ({
      body: changesOf(filesOf(at, at.query.get("before") ?? ""), filesOf(at, at.params.snapshot)),
    }),
    start(at: At<"POST /api/claws/{id}/sandbox/exec">) {
      if (sandboxOf(at).state === "lost")
        throw new Refusal(409, "sandbox-lost", "The sandbox is lost", { detail: "Make a new one." });
      const exec = makeExec(at.params.id, at.body.argv, at.body.tty, { user: at.state.user });
      at.state.execs.set(exec.id, exec);
      const tell = () =>
        at.mock.hub.emit("node.activity", { nodeId: "machine:local", label: "exec", heat: 0.3 });
      const finish = exec.finish;
      exec.finish = (...end) => (finish(...end), tell());
      tell();
      return { status: 202, body: { operation_id: exec.id } };
    },
    commands(at: At<"GET /api/claws/{id}/sandbox/commands">) {
      kind.find(at);
      return listed(at, (owner) => owner === at.params.id);
    },
    follow(at: OfExec) {
      kind.find(at);
      return streamExec(execOf(at), Number(at.query.get("offset") ?? 0), at.response);
    },
    input(at: OfExec) {
      kind.find(at);
      const exec = execOf(at);
      if (exec.exit) throw new Refusal(409, "conflict", "The command has ended");
      const fresh = at.raw.subarray(Math.max(0, exec.stdin - Number(at.query.get("offset"))));
      exec.stdin += fresh.length;
      if (fresh.length > 0) exec.onInput(fresh);
      if (at.query.get("eof")) exec.onEof();
      return { body: { offset: exec.stdin } };
    },
    resize: (at: OfExec) => (kind.find(at), execOf(at), { status: 204 }),
    cancel(at: OfExec) {
      kind.find(at);
      const exec = execOf(at);
      setTimeout(() => exec.finish("cancelled", null), 60);
      return { status: 202 };
    },
  };
}

/** Commands, the newest first, of the owners that are wanted. */
function listed({ query, state }: Pick<AskedOf, "query" | "state">, wanted: (owner: string) => boolean) {
  const q = query.get("q")?.toLowerCase() ?? "";
  const all = [...state.execs.values()]
    .filter(({ owner }) => wanted(owner))
    .map((exec) => lineOf(exec, ownerOf(state, exec.owner)))
    .filter((one) => !query.get("failed") || one.state === "failed" || (one.exit_code ?? 0) !== 0)
    .filter((one) => !query.get("running") || one.state === "running")
    .filter((one) => (one.command ?? "").toLowerCase().includes(q))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const from = Number(query.get("cursor") ?? 0);
  const next = from + Number(query.get("limit") ?? 50);
  return { body: { items: all.slice(from, next), next_cursor: next < all.length ? String(next) : null } };
}

function ownerOf(state: AskedOf["state"], id: string): Schemas["CommandOwner"] {
  const named = (list: { id: string; name: string }[]) => list.find((one) => one.id === id)?.name;
  const agent = named(state.claws);
  const team = named(state.teams.list);
  if (agent !== undefined) return { kind: "claw", id, name: agent };
  if (team !== undefined) return { kind: "team", id, name: team };
  return { kind: "mission", id };
}

const agent = routesOf(AGENT);
const team = routesOf(TEAM);
const mission = routesOf(MISSION);

export const sandboxRoutes = {
  "GET /api/sandboxes/commands"(at: At<"GET /api/sandboxes/commands">) {
    const owners = at.query.get("owners")?.split(",");
    return listed(at, (owner) => owners?.includes(owner) ?? true);
  },
  "POST /api/claws/{id}/sandbox": agent.provision,
  "GET /api/claws/{id}/sandbox": agent.show,
  "DELETE /api/claws/{id}/sandbox": agent.destroy,
  "POST /api/claws/{id}/sandbox/files": agent.put,
  "GET /api/claws/{id}/snapshots": agent.snapshots,
  "GET /api/claws/{id}/snapshots/{snapshot}/files": agent.folder,
  "GET /api/claws/{id}/snapshots/{snapshot}/file": agent.file,
  "GET /api/claws/{id}/snapshots/{snapshot}/archive": agent.archive,
  "GET /api/claws/{id}/snapshots/{snapshot}/diff": agent.diff,
  "GET /api/claws/{id}/sandbox/commands": agent.commands,
  "POST /api/claws/{id}/sandbox/exec": agent.start,
  "GET /api/claws/{id}/sandbox/exec/{operation_id}": agent.follow,
  "POST /api/claws/{id}/sandbox/exec/{operation_id}/stdin": agent.input,
  "POST /api/claws/{id}/sandbox/exec/{operation_id}/resize": agent.resize,
  "DELETE /api/claws/{id}/sandbox/exec/{operation_id}": agent.cancel,
  "POST /api/teams/{id}/sandbox": team.provision,
  "GET /api/teams/{id}/sandbox": team.show,
  "DELETE /api/teams/{id}/sandbox": team.destroy,
  "POST /api/teams/{id}/sandbox/files": team.put,
  "GET /api/teams/{id}/snapshots": team.snapshots,
  "GET /api/teams/{id}/snapshots/{snapshot}/files": team.folder,
  "GET /api/teams/{id}/snapshots/{snapshot}/file": team.file,
  "GET /api/teams/{id}/snapshots/{snapshot}/archive": team.archive,
  "GET /api/teams/{id}/snapshots/{snapshot}/diff": team.diff,
  "GET /api/teams/{id}/sandbox/commands": team.commands,
  "POST /api/teams/{id}/sandbox/exec": team.start,
  "GET /api/teams/{id}/sandbox/exec/{operation_id}": team.follow,
  "POST /api/teams/{id}/sandbox/exec/{operation_id}/stdin": team.input,
  "POST /api/teams/{id}/sandbox/exec/{operation_id}/resize": team.resize,
  "DELETE /api/teams/{id}/sandbox/exec/{operation_id}": team.cancel,
  "POST /api/missions/{id}/sandbox": mission.provision,
  "GET /api/missions/{id}/sandbox": mission.show,
  "DELETE /api/missions/{id}/sandbox": mission.destroy,
  "POST /api/missions/{id}/sandbox/files": mission.put,
  "GET /api/missions/{id}/snapshots": mission.snapshots,
  "GET /api/missions/{id}/snapshots/{snapshot}/files": mission.folder,
  "GET /api/missions/{id}/snapshots/{snapshot}/file": mission.file,
  "GET /api/missions/{id}/snapshots/{snapshot}/archive": mission.archive,
  "GET /api/missions/{id}/snapshots/{snapshot}/diff": mission.diff,
  "GET /api/missions/{id}/sandbox/commands": mission.commands,
  "POST /api/missions/{id}/sandbox/exec": mission.start,
  "GET /api/missions/{id}/sandbox/exec/{operation_id}": mission.follow,
  "POST /api/missions/{id}/sandbox/exec/{operation_id}/stdin": mission.input,
  "POST /api/missions/{id}/sandbox/exec/{operation_id}/resize": mission.resize,
  "DELETE /api/missions/{id}/sandbox/exec/{operation_id}": mission.cancel,
} satisfies Routes;
