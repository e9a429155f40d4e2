import { api } from "~/api/client";
import { workspacePath } from "~/api/members";
import type { Workspace } from "~/api/types";

export const renameWorkspace = (id: string, name: string) =>
  api.patch<Workspace>(workspacePath(id), { name });

/** `confirm` is its name, which the gateway compares as well. */
export const deleteWorkspace = (id: string, confirm: string) =>
  api.delete<unknown>(workspacePath(id), { query: { confirm } });
