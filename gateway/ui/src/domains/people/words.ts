import { ROLES } from "~/api/members";
import type { Member, Role } from "~/api/types";

export { ROLES };

export const may: Record<Role, string> = {
  viewer: "Sees everything, changes nothing.",
  member: "Works with agents and their sandboxes.",
  admin: "Also manages machines, people and the audit log.",
  owner: "May do everything, and answers for the workspace.",
};

/** What each role may do beyond the weaker one. A viewer sees everything. */
const RIGHTS: Record<Role, readonly string[]> = {
  viewer: [],
  member: [
    "create and change agents, teams, skills and templates",
    "start runs, missions and routines",
    "use sandboxes and connect apps",
    "approve or deny what agents ask for",
  ],
  admin: [
    "manage machines, models, code hosts and settings",
    "invite and remove people, and change their roles",
    "read the audit log",
    "delete agents with everything they have",
  ],
  owner: ["give and take the role Owner", "see the supervision tree", "delete the workspace"],
};

/** What a person gains (`can`) or loses with another role. */
export function roleChange(from: Role, to: Role): { can: boolean; items: string[] } {
  const [low, high] = [ROLES.indexOf(from), ROLES.indexOf(to)].toSorted((a, b) => a - b) as [number, number];
  return {
    can: ROLES.indexOf(to) > ROLES.indexOf(from),
    items: ROLES.slice(low + 1, high + 1).flatMap((role) => RIGHTS[role]),
  };
}

/** The only Owner: the gateway refuses to let a workspace be without one. */
export const lastOwner = (members: readonly Pick<Member, "role" | "user">[]): string | undefined => {
  const [one, ...others] = members.filter(({ role }) => role === "owner");
  return others.length === 0 ? one?.user.id : undefined;
};

/** Roles that somebody with this one may give. */
export const givable = (own: Role) => ROLES.slice(0, ROLES.indexOf(own) + 1);

/** Whether a member has every word in the name, the address or the role. */
export const fits = ({ user, role }: Pick<Member, "user" | "role">, words: string): boolean => {
  const text = `${user.name ?? ""} ${user.email} ${role}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};
