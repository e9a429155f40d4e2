import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { Role } from "./types";

/** Who belongs to the workspace: every page may have to say who can help. */
export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: keys.members(workspace),
    queryFn: ({ signal }) => all("/api/workspaces/{id}/members", { path: { id: workspace }, signal }),
  });

/** Weakest first. */
export const ROLES: Role[] = ["viewer", "member", "admin", "owner"];
