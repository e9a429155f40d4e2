// Names of everything in the cache, in one place, because live events must find it.

export const keys = {
  me: ["me"] as const,
  setup: ["setup"] as const,
  sessions: ["sessions"] as const,
  members: (workspace: string) => ["members", workspace] as const,
  invitations: (workspace: string) => ["members", workspace, "invitations"] as const,
  quota: ["quota"] as const,
  placement: ["placement"] as const,
  actor: (id: string) => ["tree", id] as const,
  promises: ["promises"] as const,
  nodes: ["nodes"] as const,
  node: (id: string) => ["nodes", id] as const,
  nodeTools: (id: string) => ["nodes", id, "tools"] as const,
  nodeOperations: (id: string) => ["nodes", id, "operations"] as const,
  nodeSandboxes: (id: string) => ["nodes", id, "sandboxes"] as const,
  claws: ["claws"] as const,
  claw: (id: string) => ["claws", id] as const,
  sandbox: (id: string) => ["claws", id, "sandbox"] as const,
};
