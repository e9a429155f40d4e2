// The landmarks of the mock's workspace, as the gateway makes them.
import type { Schemas } from "./schema.ts";
import type { State } from "./state.ts";

type Nodes = NonNullable<Schemas["TopologyUpdate"]["nodes"]>;
type Edges = NonNullable<Schemas["TopologyUpdate"]["edges"]>;

export function landmarksOf(state: State): Schemas["TopologyUpdate"] {
  const edges: Edges = [];
  const missions = state.missions.list.filter(({ status }) => status === "running" || status === "paused");
  const ofTeam = new Map<string, string>();
  for (const { id, phase_details } of missions)
    for (const { runs } of phase_details)
      for (const { team_id } of runs) if (team_id) ofTeam.set(team_id, `mission:${id}`);
  const nodes: Nodes = missions.map(({ id, title }) => ({
    id: `mission:${id}`,
    tier: "event",
    label: title,
  }));
  if ([...state.sandboxes.values()].some(({ node_id }) => node_id === "local"))
    nodes.push({ id: "machine:local", tier: "service", label: "This gateway" });
  for (const { id, name } of state.nodes) nodes.push({ id: `machine:${id}`, tier: "service", label: name });
  const first = new Map<string, string>();
  for (const { id, name, members } of state.teams.list) {
    const [team, parentId] = [`team:${id}`, ofTeam.get(id)];
    nodes.push({ id: team, tier: "team", label: name, ...(parentId && { parentId }) });
    if (parentId) edges.push({ from: parentId, to: team, kind: "parent" });
    for (const agent of new Set(members.map(({ agent_id }) => agent_id))) {
      edges.push({ from: team, to: `agent:${agent}`, kind: "parent" });
      if (!first.has(agent)) first.set(agent, team);
    }
  }
  for (const { id, name, deleted_at } of state.claws)
    if (!deleted_at)
      nodes.push({ id: `agent:${id}`, tier: "agent", label: name, parentId: first.get(id) ?? null });
  const known = new Set(nodes.map(({ id }) => id));
  for (const { owner_kind, owner_id, node_id } of state.sandboxes.values()) {
    const from = `${owner_kind === "claw" ? "agent" : owner_kind}:${owner_id}`;
    if (known.has(from)) edges.push({ from, to: `machine:${node_id}`, kind: "flow" });
  }
  return { formation: "live", nodes, edges: edges.filter(({ to }) => known.has(to)) };
}
