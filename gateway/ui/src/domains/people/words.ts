import { ROLES } from "~/api/members";
import type { Role } from "~/api/types";

export { ROLES };

export const may: Record<Role, string> = {
  viewer: "Sees everything, changes nothing.",
  member: "Works with agents and their sandboxes.",
  admin: "Also manages machines, people and the audit log.",
  owner: "May do everything, and answers for the workspace.",
};

/** Roles that somebody with this one may give. */
export const givable = (own: Role) => ROLES.slice(0, ROLES.indexOf(own) + 1);
