// Who belongs to the mock's workspaces at first.
import { ago, newId } from "./ids.ts";
import type { Member, Role, Schemas, UserBrief } from "./schema.ts";

export interface People {
  workspaces: Schemas["MembershipBrief"][];
  members: Member[];
  invitations: Schemas["Invitation"][];
  /** What each link offers. */
  links: Map<string, { role: Role; email?: string | null }>;
}

export function makePeople(user: UserBrief): People {
  return {
    workspaces: [
      { id: "w1", name: "Ada's workshop", role: "owner" },
      { id: "w2", name: "Observatory", role: "viewer" },
    ],
    members: [
      { user, role: "owner", joined_at: ago(86_400 * 40), you: true },
      {
        user: { id: newId(), email: "grace@example.org", name: "Grace" },
        role: "admin",
        joined_at: ago(86_400 * 3),
        you: false,
      },
    ],
    invitations: [],
    links: new Map([["rit_known", { role: "member", email: null }]]),
  };
}

const plan = (name: string, agents: number, live_containers: number, workspaces: number) => ({
  name,
  agents,
  live_containers,
  workspaces,
  version: 0,
});

export const makePlans = (): Schemas["PlanLimits"][] => [
  plan("free", 5, 2, 5),
  plan("team", 50, 20, 20),
  plan("scale", 1000, 200, 100),
];
