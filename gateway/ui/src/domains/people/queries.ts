import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import { workspacePath as at } from "~/api/members";
import type { FreshInvitation, Invitation, Member, NewInvitation, Role } from "~/api/types";

export { membersQuery } from "~/api/members";

export const invitationsQuery = (workspace: string) =>
  queryOptions({
    queryKey: keys.invitations(workspace),
    queryFn: ({ signal }) => all<Invitation>(`${at(workspace)}/invitations`, {}, signal),
  });

export const setRole = (workspace: string, user: string, role: Role) =>
  api.patch<Member>(`${at(workspace)}/members/${encodeURIComponent(user)}`, { role });

export const removeMember = (workspace: string, user: string) =>
  api.delete<void>(`${at(workspace)}/members/${encodeURIComponent(user)}`);

export const invite = (workspace: string, body: NewInvitation) =>
  api.post<FreshInvitation>(`${at(workspace)}/invitations`, body);

export const withdraw = (workspace: string, id: string) =>
  api.delete<void>(`${at(workspace)}/invitations/${encodeURIComponent(id)}`);
