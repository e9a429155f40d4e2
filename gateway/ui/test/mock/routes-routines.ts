// Routines of the mock, over HTTP.
import { ago, newId } from "./ids.ts";
import { must, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import type { Schemas } from "./schema.ts";
import type { State } from "./state.ts";

export type Routine = Schemas["Routine"];
export type Firing = Schemas["RoutineFiring"];

const MINUTE = 60_000;

const one = ({ state, params }: AskedOf): Routine =>
  must(
    state.routines.list.find(({ id }) => id === params.id),
    "There is no such routine",
  );

/** Due times of a schedule: those of a loop, and one a day for an expression. */
function dueOf(schedule: Schemas["RoutineSchedule"], most: number): string[] {
  const minutes = schedule.kind === "loop" ? schedule.every_minutes : 1440;
  const times = schedule.kind === "loop" ? (schedule.times ?? most) : most;
  const begin = Date.now() + (schedule.kind === "loop" ? 0 : 90 * MINUTE);
  return Array.from({ length: Math.min(times, most) }, (_, at) =>
    new Date(begin + at * minutes * MINUTE).toISOString(),
  );
}

const wordsOf = (schedule: Schemas["RoutineSchedule"]): string =>
  schedule.kind === "loop"
    ? `Every ${schedule.every_minutes} minutes`
    : `At 09:00 AM (${schedule.time_zone ?? "UTC"})`;

function refuse(schedule: Schemas["RoutineSchedule"]): void {
  const wrong = (pointer: string, detail: string) =>
    new Refusal(400, "validation", "The request is not valid", { errors: [{ pointer, detail }] });
  if (schedule.kind === "cron" && schedule.expression === "0 0 30 2 *")
    throw wrong("/schedule/expression", "never fires: it has no due time within the next ten years");
  if (schedule.kind === "loop" && schedule.every_minutes < 1)
    throw wrong("/schedule/every_minutes", "must be from 1 to 525600");
}

export function makeRoutine(state: State, change: Partial<Routine> = {}): Routine {
  const schedule = change.schedule ?? { kind: "cron", expression: "0 9 * * *", time_zone: "Europe/Berlin" };
  const routine: Routine = {
    id: newId(),
    name: "Morning news",
    schedule,
    words: wordsOf(schedule),
    recipe: {
      kind: "team",
      template_id: state.templates[0]?.id ?? newId(),
      goal: "Read what is new.",
      accept_lacks: false,
    },
    missed: "once",
    overlap: "skip",
    enabled: true,
    state: "scheduled",
    next_due: dueOf(schedule, 5),
    at_work: 0,
    created_by: state.user,
    created_at: ago(86_400),
    updated_at: ago(86_400),
    version: 1,
    ...change,
  };
  state.routines.list.unshift(routine);
  return routine;
}

export function makeFiring(state: State, routine: Routine, change: Partial<Firing> = {}): Firing {
  const firing: Firing = {
    id: newId(),
    routine_id: routine.id,
    routine_name: routine.name,
    cause: "schedule",
    state: "done",
    due_at: ago(3_600),
    noted_at: ago(3_600),
    due_times: 1,
    ended_at: ago(3_000),
    ...change,
  };
  state.routines.journal.unshift(firing);
  routine.last = firing;
  return firing;
}

export const routineRoutes = {
  "GET /api/routines": ({ state }) => ({ body: { items: state.routines.list, next_cursor: null } }),
  "POST /api/routines": ({ state, body, mock }) => {
    refuse(body.schedule);
    const { name, schedule, recipe, missed = "once", overlap = "skip" } = body;
    const routine = makeRoutine(state, { name, schedule, recipe, missed, overlap });
    mock.hub.changed("routine", routine.id, routine.version);
    return { status: 201, body: routine };
  },
  "POST /api/routines/preview": ({ body }) => {
    refuse(body.schedule);
    return { body: { words: wordsOf(body.schedule), due: dueOf(body.schedule, body.count ?? 5) } };
  },
  "GET /api/routines/runs": ({ state, query }) => ({
    body: {
      items: state.routines.journal.filter(({ routine_id }) => routine_id === query.get("routine_id")),
      next_cursor: null,
    },
  }),
  "GET /api/routines/{id}": (at) => ({ body: one(at) }),
  "PATCH /api/routines/{id}": (at) => {
    const routine = one(at);
    const schedule = at.body.schedule ?? routine.schedule;
    const { enabled = routine.enabled } = at.body;
    const from = at.request.headers["if-match"];
    if (from !== undefined && from !== `"${routine.version}"`)
      throw new Refusal(412, "precondition-failed", "Somebody else wrote in between", {
        detail: `The routine was changed meanwhile and has version ${routine.version} now.`,
      });
    refuse(schedule);
    at.state.routines.changes.push(at.body);
    Object.assign(routine, at.body, {
      enabled,
      words: wordsOf(schedule),
      next_due: dueOf(schedule, 5),
      state: enabled ? "scheduled" : "paused",
      version: routine.version + 1,
    });
    at.mock.hub.changed("routine", routine.id, routine.version);
    return { body: routine };
  },
  "DELETE /api/routines/{id}": (at) => {
    const { id } = one(at);
    at.state.routines.list = at.state.routines.list.filter((routine) => routine.id !== id);
    return { status: 204 };
  },
  "POST /api/routines/{id}/run": (at) => {
    const routine = one(at);
    if (routine.at_work > 0)
      throw new Refusal(409, "conflict", "The request conflicts with the present state", {
        detail: "An earlier firing of the routine still works.",
      });
    Object.assign(routine, { state: "running", at_work: 1 });
    const firing = makeFiring(at.state, routine, { cause: "manual", state: "started", run_id: newId() });
    return { status: 202, body: firing };
  },
} satisfies Routes;
