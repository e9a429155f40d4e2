// What a newcomer does not know: each word in a sentence or two, and the guide with more.

export interface Explained {
  says: string;
  guide: "glossary" | "team" | "machine";
}

export const WORDS = {
  machine: {
    says: "A computer that you paired with Roost. A small program on it, roostd, creates the sandboxes of your agents there. The command line calls it a node.",
    guide: "machine",
  },
  sandbox: {
    says: "An isolated container in which an agent works. It has no network and cannot see the machine that it is on. Roost measures this before the first use.",
    guide: "machine",
  },
  topology: {
    says: "The graph that decides which agent works next: one agent alone, one after another, or a lead that gives work to others.",
    guide: "team",
  },
  door: {
    says: "An action outside Roost that an agent asks for, such as a push or a message. It happens only after a person approves it here.",
    guide: "glossary",
  },
  outcome: {
    says: "Whether a run met its goal: accepted, rejected or undecided. The verdicts and checks of its steps decide it. A run can complete without meeting its goal.",
    guide: "team",
  },
  mission: {
    says: "Work from a goal to reviewed results. It creates the teams that it needs, and they work in phases.",
    guide: "glossary",
  },
  phase: {
    says: "A part of a mission: research, coding, benchmark or security scan. Phases follow one another. A phase that fails pauses the mission.",
    guide: "glossary",
  },
  "level-up": {
    says: "A proposal that improves an agent or a team. A model makes it from their runs, and each change names its evidence. A person approves or rejects each change.",
    guide: "glossary",
  },
  plan: {
    says: "The limits of this workspace: how many agents it may have, and how many sandboxes may run at the same time. An operator of the deployment changes it.",
    guide: "glossary",
  },
} as const satisfies Record<string, Explained>;

export type Word = keyof typeof WORDS;
