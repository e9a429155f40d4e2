import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { FreshInvitation, Invitation, Member, NewInvitation, Role } from "~/api/types";

const at = (workspace: string) => `/api/workspaces/${encodeURIComponent(workspace)}`;

export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: keys.members(workspace),
    queryFn: ({ signal }) => all<Member>(`${at(workspace)}/members`, {}, signal),
  });

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
