import { activityOf } from "./activity.ts";
import { must, Refusal } from "./refusal.ts";
import type { Asked, AskedOf, Routes } from "./route.ts";
import type { Claw } from "./schema.ts";
import type { State } from "./state.ts";
import { makeClaw } from "./state.ts";

export function clawOf({ state, params }: AskedOf): Claw {
  return must(
    state.claws.find((one) => one.id === params.id),
    "There is no such agent",
  );
}
export function touch({ mock }: Asked, claw: Claw, change: Partial<Claw> = {}): Claw {
  Object.assign(claw, change, { version: claw.version + 1, updated_at: new Date().toISOString() });
  mock.hub.changed("claw", claw.id, claw.version);
  return claw;
}

function nameIsFree(state: State, name: string, but?: Claw): void {
  if (state.claws.some((one) => one !== but && one.name === name))
    throw new Refusal(409, "name-taken", "The name is taken", {
      errors: [{ pointer: "/name", detail: "Another agent has this name. Choose another name." }],
    });
}

const create: Routes["POST /api/claws"] = (at) => {
  const { state, body } = at;
  if (!body.name?.trim())
    throw new Refusal(400, "validation", "The agent was not created", {
      errors: [{ pointer: "/name", detail: "Give the agent a name." }],
    });
  nameIsFree(state, body.name);
  if (state.claws.length >= state.quota.agents)
    throw new Refusal(402, "quota-exceeded", "The plan allows no further agent", {
      detail: "Delete an agent to make room.",
      limit: state.quota.agents,
      used: state.claws.length,
    });
  const claw = makeClaw(state, body.name, body);
  state.claws.push(claw);
  touch(at, claw);
  return { status: 201, body: claw };
};

export const clawRoutes = {
  "GET /api/claws": ({ state }) => ({ body: { items: state.claws, next_cursor: null } }),
  "POST /api/claws": create,
  "GET /api/claws/{id}": (at) => ({ body: clawOf(at) }),
  "PATCH /api/claws/{id}": (at) => {
    const claw = clawOf(at);
    const over = at.request.headers["if-match"];
    if (over !== undefined && over !== `"${claw.version}"`)
      throw new Refusal(412, "precondition-failed", "Somebody else wrote in between");
    const { name = null, ...rest } = at.body;
    nameIsFree(at.state, name ?? claw.name, claw);
    return { body: touch(at, claw, { ...rest, ...(name !== null && { name }) }) };
  },
  "DELETE /api/claws/{id}": (at) => {
    const claw = clawOf(at);
    at.state.claws = at.state.claws.filter((one) => one !== claw);
    at.state.sandboxes.delete(claw.id);
    touch(at, claw);
    return at.query.get("purge")
      ? { status: 202, body: { saga_id: "s1", state: "running" } }
      : { status: 204 };
  },
  "GET /api/claws/{id}/activity": (at) => ({ body: activityOf(at, clawOf(at)) }),
} satisfies Routes;
