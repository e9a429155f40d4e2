/** The agent or the team that a proposal improves. */
export interface Subject {
  kind: "agent" | "team";
  id: string;
  name: string;
}
