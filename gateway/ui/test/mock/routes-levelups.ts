// Level-ups of the mock, over HTTP.
import { ago } from "./ids.ts";
import { itemsFor, makeItem, makeLevelUp, type LevelUp } from "./levelups.ts";
import { must, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import type { Schemas } from "./schema.ts";

const one = ({ state, params }: AskedOf): LevelUp =>
  must(
    state.levelUps.list.find(({ id }) => id === params.id),
    "There is no such proposal",
  );

function briefOf(proposal: LevelUp): Schemas["LevelUpProposalBrief"] {
  const { items, basis } = proposal.payload;
  return {
    ...proposal,
    payload: {
      agents: basis.agents,
      items: items.map(({ id, kind, agent_id, summary }) => ({
        id,
        kind,
        summary,
        ...(agent_id && { agent_id }),
      })),
    },
  };
}

function made({ mock, state }: AskedOf, proposal: LevelUp) {
  state.levelUps.list.unshift(proposal);
  mock.hub.changed("level_up", proposal.id, 1);
  return { status: 201, body: { proposal_id: proposal.id } };
}

/** A decision has one winner: a later one answers what was decided. */
function decide(at: AskedOf, change: Partial<LevelUp>) {
  const proposal = one(at);
  if (proposal.status !== "pending") return { body: proposal };
  Object.assign(proposal, change);
  at.mock.hub.changed("level_up", proposal.id, 2);
  return { body: proposal };
}

export const levelUpRoutes = {
  "POST /api/claws/{id}/level-up": (at) => {
    const agent = must(at.state.claws.find(({ id }) => id === at.params.id));
    return made(at, makeLevelUp(at.state, { agent }, itemsFor(at.state, agent)));
  },
  "POST /api/teams/{id}/level-up": (at) => {
    const team = must(at.state.teams.list.find(({ id }) => id === at.params.id));
    const items = [
      makeItem("i1", "roster_change", {
        summary: "Add a tester",
        roster: { action: "add", slot: "tester", detail: "Nobody runs the tests." },
      }),
    ];
    return made(at, makeLevelUp(at.state, { team }, items));
  },
  "GET /api/level-up-proposals": ({ state, query }) => ({
    body: state.levelUps.list
      .filter(({ status }) => status === (query.get("status") ?? "pending"))
      .filter(({ agent_id }) => !query.has("agent_id") || agent_id === query.get("agent_id"))
      .filter(({ team_id }) => !query.has("team_id") || team_id === query.get("team_id"))
      .map(briefOf),
  }),
  "GET /api/level-up-proposals/{id}": (at) => ({ body: one(at) }),
  "POST /api/level-up-proposals/{id}/apply": (at) => {
    const { state, body } = at;
    state.levelUps.sent.push(body.approved_item_ids);
    const proposal = one(at);
    const errors = body.approved_item_ids.flatMap((id, place) => {
      const reason = state.levelUps.outdated.get(id);
      return reason ? [{ pointer: `/approved_item_ids/${place}`, detail: `${id}: ${reason}` }] : [];
    });
    if (proposal.status === "pending" && errors.length > 0)
      throw new Refusal(409, "proposal-outdated", "The proposal is outdated", {
        detail: "These items cannot be applied any more. Nothing was applied.",
        errors,
      });
    const items = proposal.payload.items.filter(({ id }) => body.approved_item_ids.includes(id));
    const ids = (human: boolean) => items.filter((item) => item.needs_human === human).map(({ id }) => id);
    return decide(at, {
      status: "applied",
      applied_items: ids(false),
      payload: { ...proposal.payload, for_a_person: ids(true) },
      approved_by: state.user,
      applied_at: ago(0),
    });
  },
  "POST /api/level-up-proposals/{id}/reject": (at) => decide(at, { status: "rejected" }),
} satisfies Routes;
