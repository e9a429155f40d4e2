import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewInvitation, Role } from "~/api/types";

export { membersQuery } from "~/api/members";

export const invitationsQuery = (workspace: string) =>
  queryOptions({
    queryKey: keys.invitations(workspace),
    queryFn: ({ signal }) => all("/api/workspaces/{id}/invitations", { path: { id: workspace }, signal }),
  });

export const setRole = (workspace: string, user: string, role: Role) =>
  api.patch("/api/workspaces/{id}/members/{user_id}", {
    path: { id: workspace, user_id: user },
    body: { role },
  });

export const removeMember = (workspace: string, user: string) =>
  api.delete("/api/workspaces/{id}/members/{user_id}", { path: { id: workspace, user_id: user } });

export const invite = (workspace: string, body: NewInvitation) =>
  api.post("/api/workspaces/{id}/invitations", { path: { id: workspace }, body });

export const withdraw = (workspace: string, id: string) =>
  api.delete("/api/workspaces/{id}/invitations/{invitation_id}", {
    path: { id: workspace, invitation_id: id },
  });
