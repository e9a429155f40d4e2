// The guides that a person reads on the page. They are the files of the repository, each in a chunk of its own.

interface Text {
  title: string;
  load: () => Promise<string>;
}

export const GUIDES = {
  glossary: {
    title: "Glossary",
    load: async () => (await import("../../../../../deploy/guide/glossary.md?raw")).default,
  },
  team: {
    title: "Teams and runs",
    load: async () => (await import("../../../../../deploy/guide/team.md?raw")).default,
  },
  machine: {
    title: "Machines",
    load: async () => (await import("../../../../../deploy/guide/machine.md?raw")).default,
  },
  operator: {
    title: "Operators",
    load: async () => (await import("../../../../../deploy/guide/operator.md?raw")).default,
  },
} satisfies Record<string, Text>;

export type Guide = keyof typeof GUIDES;

export const isGuide = (name: string): name is Guide => Object.hasOwn(GUIDES, name);
