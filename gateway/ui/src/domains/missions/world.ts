// The map of a mission: the mission, its teams, their agents, and the machines on which they work.
import type { MissionDetail } from "~/api/missions";
import type { Sandbox } from "~/api/types";
import { isOver } from "~/ui/run-state";
import { sentence } from "~/ui/sentence";
import type { Tone } from "~/ui/status";
import { bare, isA, type Landmarks } from "./landmarks";
import { missionState } from "./words";

export type Tier = "mission" | "team" | "agent" | "machine";
export const TIERS: readonly Tier[] = ["mission", "team", "agent", "machine"];

/** A thing on the map. Its id is that of the world stream: `team:<id>`, `machine:local`. */
export interface Thing {
  id: string;
  tier: Tier;
  name: string;
  /** The team of an agent. */
  of?: string;
  /** The id of what it leads to. Nothing for what has no page. */
  page: string | undefined;
  state: { tone: Tone; word: string };
  /** Whether it works now. */
  works: boolean;
}
export interface World {
  things: Thing[];
  /** From the outer to the inner: mission to team, team to agent, agent to machine. */
  edges: [string, string][];
  /** How many teams and agents the map leaves out. */
  left: number;
}

export interface Heard {
  /** What was done there last, and when. */
  touches: ReadonlyMap<string, { what: string; at: number }>;
  /** The newest state of agents, by their ids. */
  states: ReadonlyMap<string, string>;
}

/** As many of a kind as have room on the map. Beyond, teams that are not at work stand without their agents. */
const MOST = 11;
/** So long something that happened stays lit. */
export const LIT_MS = 4000;

const IDLE = { tone: "idle", word: "Ready" } as const;
const WORKS = { tone: "running", word: "Works" } as const;
const LOCAL = "local";

/** Where a sandbox is. */
export type Place = Pick<Sandbox, "node_id" | "node_name">;

export interface Known {
  teams: readonly {
    id: string;
    name: string;
    members: readonly { agent_id: string; name: string | undefined; status: string | undefined }[];
  }[];
  /** Where the agents work, by their ids. */
  places: ReadonlyMap<string, Place>;
  /** The mission's own sandbox. */
  own: Place | undefined;
}

/** The teams that worked for the mission and still are, with whether each works for it now. */
export function teamsOf({ phase_details }: Pick<MissionDetail, "phase_details">): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const { runs } of phase_details)
    for (const { team_id, team_name, status } of runs) {
      if (!team_id || team_name == null) continue;
      found.set(team_id, Boolean(found.get(team_id)) || Boolean(status && !isOver(status)));
    }
  return found;
}

/** Words for what a touch names: `service:model/gpt`, `event:tool/shell`. */
export function touchWord(node: string): string {
  const model = /^service:model\/(.+)$/u.exec(node)?.[1];
  if (model) return `asks ${model}`;
  const tool = /^event:tool\/(.+)$/u.exec(node)?.[1];
  return tool ? `uses ${tool}` : "works";
}

/** The name of an agent without that of its team, which stands beside it. */
const shortName = (agent: string, team: string) =>
  (agent.startsWith(team) && agent.slice(team.length).replace(/^[\s:,/-]+/u, "")) || agent;

/** The name of a team without the title of its mission, which stands beside it. */
const withoutTitle = (team: string, title: string) =>
  (team.endsWith(title) && team.slice(0, -title.length).replace(/[\s:,·-]+$/u, "")) || team;

/** What the map shows. */
export function worldOf(
  mission: Pick<MissionDetail, "id" | "title" | "status" | "status_reason" | "phase_details">,
  { teams, places, own }: Known,
  { touches, states }: Heard,
  now: number,
): World {
  const lit = (id: string) => now - (touches.get(id)?.at ?? -Infinity) < LIT_MS;
  const root = `mission:${mission.id}`;
  const runs = mission.status === "running";
  const things: Thing[] = [
    {
      id: root,
      tier: "mission",
      name: mission.title,
      page: undefined,
      state: missionState(mission),
      works: runs,
    },
  ];
  const edges: World["edges"] = [];
  const machines = new Map<string, Thing>();
  const onMachine = (from: string, at: string | undefined, name: string | undefined) => {
    if (at === undefined) return;
    const id = `machine:${at}`;
    const heard = lit(id);
    machines.set(id, {
      id,
      tier: "machine",
      name: at === LOCAL ? "Gateway's machine" : name || at,
      page: at === LOCAL ? undefined : at,
      state: heard ? WORKS : IDLE,
      works: heard,
    });
    edges.push([from, id]);
  };
  const at = teamsOf(mission);
  // In the order in which they began, which nothing changes.
  const found = [...at.keys()].flatMap((id) => teams.find((team) => team.id === id) ?? []);
  const here = found.length > MOST ? found.filter(({ id }) => at.get(id)).slice(0, MOST) : found;
  const crowded = here.reduce((sum, { members }) => sum + members.length, 0) > MOST;
  let room = MOST;
  let left = found.length - here.length;
  for (const team of here) {
    const busy = at.get(team.id) === true;
    const id = `team:${team.id}`;
    things.push({
      id,
      tier: "team",
      name: withoutTitle(team.name, mission.title),
      page: team.id,
      state: busy ? { tone: "running", word: "At work" } : { tone: "idle", word: "Idle" },
      works: busy,
    });
    edges.push([root, id]);
    // One agent may stand at several places of its team.
    const agents = [...new Map(team.members.map((one) => [one.agent_id, one]))];
    const most = crowded && !busy ? 0 : room;
    left += Math.max(0, agents.length - most);
    room -= Math.min(agents.length, most);
    for (const [agent, { name, status }] of agents.slice(0, most)) {
      const self = `agent:${agent}`;
      const works = busy && ((states.get(agent) ?? status) === "working" || lit(self));
      const word = (lit(self) && touches.get(self)?.what) || "works";
      things.push({
        id: self,
        tier: "agent",
        name: shortName(name ?? "a deleted agent", team.name),
        of: team.name,
        page: name == null ? undefined : agent,
        state: works ? { tone: "running", word: sentence(word) } : IDLE,
        works,
      });
      edges.push([id, self]);
      const place = places.get(agent);
      onMachine(self, place?.node_id, place?.node_name);
    }
  }
  if (own) {
    // Benchmarks and scanners are no team's: Roost itself runs their commands.
    const id = `mission:${mission.id}/own`;
    const works = mission.phase_details.some(
      ({ kind, status }) => status === "running" && (kind === "benchmark" || kind === "security_scan"),
    );
    things.push({
      id,
      tier: "agent",
      name: "The mission's own sandbox",
      page: undefined,
      state: works ? { tone: "running", word: "Commands run" } : IDLE,
      works,
    });
    edges.push([root, id]);
    onMachine(id, own.node_id, own.node_name);
  }
  return { things: [...things, ...machines.values()], edges, left };
}

/** So many things of a kind stand on the map of a workspace. */
export const MOST_ALL = 24;

/**
 * The map of the whole workspace. What stands on it follows from the landmarks alone, in their order: what belongs to a
 * mission first, then the other teams, then agents without a team. Nothing that happens moves anything.
 */
export function workspaceWorld(
  { names, above, below, places }: Landmarks,
  { touches, states }: Heard,
  now: number,
  most: number = MOST_ALL,
): World {
  const lit = (id: string) => now - (touches.get(id)?.at ?? -Infinity) < LIT_MS;
  const all = [...names.keys()];
  const agentWorks = (id: string) => lit(id) || states.get(bare(id)) === "working";
  const works = (id: string): boolean =>
    isA("agent")(id) ? agentWorks(id) : lit(id) || (below.get(id) ?? []).some(works);
  const ordered: Record<Tier, string[]> = { mission: [], team: [], agent: [], machine: [] };
  ordered.mission = all.filter(isA("mission"));
  const teams = all.filter(isA("team"));
  ordered.team = [
    ...ordered.mission.flatMap((id) => (below.get(id) ?? []).filter(isA("team"))),
    ...teams.filter((id) => !above.has(id)),
  ];
  const agents = all.filter(isA("agent"));
  ordered.agent = [
    ...new Set([
      ...ordered.team.flatMap((id) => (below.get(id) ?? []).filter(isA("agent"))),
      ...agents.filter((id) => !above.has(id)),
    ]),
  ];
  ordered.machine = all.filter(isA("machine"));
  let left = 0;
  const things = TIERS.flatMap((tier) => {
    const ids = ordered[tier];
    left += Math.max(0, ids.length - most);
    return ids.slice(0, most).map((id): Thing => {
      const busy = works(id);
      const word = tier === "agent" ? sentence((lit(id) && touches.get(id)?.what) || "works") : "At work";
      const rest = tier === "mission" ? ({ tone: "running", word: "In flight" } as const) : IDLE;
      const team = tier === "agent" ? above.get(id) : undefined;
      const ofTeam = team && names.get(team);
      const name = names.get(id) ?? bare(id);
      return {
        id,
        tier,
        name: ofTeam ? shortName(name, ofTeam) : name,
        ...(ofTeam && { of: ofTeam }),
        page: id === `machine:${LOCAL}` ? undefined : bare(id),
        state: busy ? { tone: "running", word } : rest,
        works: busy,
      };
    });
  });
  const here = new Set(things.map(({ id }) => id));
  const edges: World["edges"] = [];
  for (const [from, to] of [...below].flatMap(([from, ids]) => ids.map((to) => [from, to] as const)))
    if (here.has(from) && here.has(to)) edges.push([from, to]);
  for (const [owner, machine] of places) {
    // The agents of a team stand between it and its machine.
    const froms = isA("team")(owner) ? (below.get(owner) ?? []) : [owner];
    for (const from of froms) if (here.has(from) && here.has(machine)) edges.push([from, machine]);
  }
  return { things, edges, left };
}

/** The map in a sentence, for those who do not see it. */
export function worldWords({ things }: World, of = "the mission"): string {
  const count = (tier: Tier, one: string, many: string) => {
    const all = things.filter((thing) => thing.tier === tier);
    const busy = all.filter(({ works }) => works).length;
    return `${all.length} ${all.length === 1 ? one : many}${busy > 0 ? ` (${busy} at work)` : ""}`;
  };
  return `Map of ${of}: ${count("team", "team", "teams")}, ${count("agent", "agent", "agents")}, ${count("machine", "machine", "machines")}`;
}
