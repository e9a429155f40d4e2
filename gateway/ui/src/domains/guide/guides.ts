// The guides that a person reads on the page. They are the files of the repository, each in a chunk of its own.

interface Text {
  title: string;
  load: () => Promise<string>;
}

export const GUIDES = {
  first: {
    title: "Your first result",
    load: async () => (await import("../../../../../deploy/guide/first-result.md?raw")).default,
  },
  repository: {
    title: "Your own repository",
    load: async () => (await import("../../../../../deploy/guide/repository.md?raw")).default,
  },
  models: {
    title: "Your own models",
    load: async () => (await import("../../../../../deploy/guide/models.md?raw")).default,
  },
  machine: {
    title: "Your machines",
    load: async () => (await import("../../../../../deploy/guide/machine.md?raw")).default,
  },
  team: {
    title: "Teams and runs",
    load: async () => (await import("../../../../../deploy/guide/team.md?raw")).default,
  },
  operator: {
    title: "Operators",
    load: async () => (await import("../../../../../deploy/guide/operator.md?raw")).default,
  },
  glossary: {
    title: "Glossary",
    load: async () => (await import("../../../../../deploy/guide/glossary.md?raw")).default,
  },
} satisfies Record<string, Text>;

export type Guide = keyof typeof GUIDES;

/** The guide of each file, without its ending. */
export const FILES: ReadonlyMap<string, Guide> = new Map([
  ["first-result", "first"],
  ["repository", "repository"],
  ["models", "models"],
  ["machine", "machine"],
  ["team", "team"],
  ["operator", "operator"],
  ["glossary", "glossary"],
]);

export const isGuide = (name: string): name is Guide => Object.hasOwn(GUIDES, name);
