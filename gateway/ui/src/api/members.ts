import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { Member, Role } from "./types";

export const workspacePath = (workspace: string) => `/api/workspaces/${encodeURIComponent(workspace)}`;

/** Who belongs to the workspace: every page may have to say who can help. */
export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: keys.members(workspace),
    queryFn: ({ signal }) => all<Member>(`${workspacePath(workspace)}/members`, {}, signal),
  });

/** Weakest first. */
export const ROLES: Role[] = ["viewer", "member", "admin", "owner"];
