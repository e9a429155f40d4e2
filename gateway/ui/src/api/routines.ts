// Routines: work that begins by a schedule.
import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Routine = Schemas["Routine"];
export type RoutineFiring = Schemas["RoutineFiring"];
export type RoutineSchedule = Schemas["RoutineSchedule"];
export type NewRoutine = Schemas["NewRoutine"];
export type RoutineChange = Schemas["RoutineChange"];

export const routinesQuery = queryOptions({
  queryKey: [...keys.routines, "list"],
  queryFn: ({ signal }) => all("/api/routines", { query: { limit: 200 }, signal }),
});

export const routineQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.routines, "one", id],
    queryFn: ({ signal }) => api.get("/api/routines/{id}", { path: { id }, signal }),
  });

/** The newest lines of the journal of a routine. */
export const journalQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.routines, "journal", id],
    queryFn: ({ signal }) => api.get("/api/routines/runs", { query: { routine_id: id, limit: 50 }, signal }),
  });

/** The next due times of a schedule. They move on with the time, so an old answer does not stay. */
export const previewQuery = (schedule: RoutineSchedule) =>
  queryOptions({
    queryKey: ["routine_preview", schedule],
    queryFn: ({ signal }) => api.post("/api/routines/preview", { body: { schedule, count: 12 }, signal }),
    gcTime: 0,
    retry: false,
  });

export const createRoutine = (body: NewRoutine, key: string) =>
  api.post("/api/routines", { body, idempotencyKey: key });

/** With a version, the gateway refuses the change (412) when the routine has another one. */
export const changeRoutine = (id: string, body: RoutineChange, version?: number) =>
  api.patch("/api/routines/{id}", {
    path: { id },
    body,
    ...(version !== undefined && { ifMatch: version }),
  });

export const fireRoutine = (id: string) => api.post("/api/routines/{id}/run", { path: { id } });

export const deleteRoutine = (id: string) => api.delete("/api/routines/{id}", { path: { id } });
