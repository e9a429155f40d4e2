// What an API token may do: verbs, grouped by what they are about and said in words.

interface Group {
  title: string;
  /** The first parts of its verbs. */
  things: readonly string[];
}

const GROUPS: readonly Group[] = [
  { title: "Work", things: ["runs", "missions", "routines", "teams", "doors"] },
  { title: "Agents and what they use", things: ["claws", "skills", "templates", "repos", "apps", "models"] },
  { title: "Infrastructure", things: ["sandboxes", "nodes", "placement"] },
  { title: "Administration", things: ["workspace", "members", "audit", "tree", "events"] },
];

const WORDS: Record<string, string> = {
  "workspace.read": "See the workspace and its quota",
  "workspace.change": "Change the workspace",
  "workspace.delete": "Delete the workspace",
  "members.read": "See members",
  "members.manage": "Invite, change and remove members",
  "audit.read": "Read the audit log",
  "claws.read": "See agents",
  "claws.write": "Create and change agents",
  "claws.purge": "Delete agents for good",
  "sandboxes.read": "See sandboxes",
  "sandboxes.use": "Create and use sandboxes",
  "apps.read": "See connected apps",
  "apps.connect": "Connect and disconnect apps",
  "doors.read": "See requests for approval",
  "doors.ask": "Ask for an approval for an agent",
  "doors.resolve": "Approve and deny requests",
  "nodes.read": "See machines",
  "nodes.manage": "Pair and change machines",
  "placement.set": "Choose where sandboxes are created",
  "repos.read": "See repositories",
  "repos.sync": "Read the list of repositories again",
  "repos.manage": "Connect code hosts",
  "skills.read": "See skills",
  "skills.manage": "Write skills",
  "templates.read": "See templates",
  "templates.manage": "Write templates",
  "teams.read": "See teams",
  "teams.manage": "Create and change teams",
  "runs.read": "See runs",
  "runs.start": "Start, cancel and fork runs",
  "runs.push": "Push branches of runs",
  "missions.read": "See missions",
  "missions.manage": "Create and launch missions",
  "routines.read": "See routines",
  "routines.manage": "Create and change routines",
  "models.manage": "Manage models, keys and spending limits",
  "events.read": "Follow live events",
  "tree.read": "See the supervision tree",
};

/** A verb that this page does not know is shown as it is. */
export const wordOf = (verb: string): string => WORDS[verb] ?? verb;

export const isRead = (verb: string): boolean => verb.endsWith(".read");

export interface Section {
  title: string;
  verbs: string[];
}

/** The verbs that a person has, in groups. A verb of no group is in the last one. */
export function sectionsOf(verbs: readonly string[]): Section[] {
  const thingOf = (verb: string) => verb.split(".")[0] ?? "";
  const known = new Set(GROUPS.flatMap(({ things }) => things));
  const groups = GROUPS.map(({ title, things }) => ({
    title,
    verbs: things.flatMap((thing) => verbs.filter((verb) => thingOf(verb) === thing)),
  }));
  return [...groups, { title: "Other", verbs: verbs.filter((verb) => !known.has(thingOf(verb))) }].filter(
    (group) => group.verbs.length > 0,
  );
}

/** What a token may do, in a line. */
export function scopesWord(scopes: readonly string[] | null | undefined): string {
  if (!scopes) return "all that you may do";
  if (scopes.length === 0) return "nothing";
  if (scopes.every(isRead)) return scopes.length === 1 ? wordOf(scopes[0] ?? "") : "read only";
  return scopes.length === 1 ? wordOf(scopes[0] ?? "") : `${scopes.length} permissions`;
}
