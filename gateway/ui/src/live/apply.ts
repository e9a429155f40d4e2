// What each live event means for the cache. Values are patched in place; everything else is asked again.
import type { QueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { Claw, Node, SandboxBrief } from "~/api/types";
import { renewLine } from "./lines";
import { renew } from "./renew";
import type { LiveEvent } from "./stream";

/** The name under which a later event replaces an earlier one of the same object. */
export function eventKey(event: LiveEvent): string {
  const { type, data } = event;
  if (type === "resource.changed") return `${type}:${String(data["kind"])}:${String(data["id"])}`;
  return `${type}:${String(data["doorId"] ?? data["agentId"] ?? data["teamId"] ?? data["nodeId"] ?? "")}`;
}

/** True when what the cache holds is already newer than what the event announces. */
export function isOld(cached: { version?: number } | undefined, version: unknown): boolean {
  return cached?.version !== undefined && typeof version === "number" && version < cached.version;
}

function patchStatus(client: QueryClient, id: string, status: Claw["status"]) {
  client.setQueryData<Claw[]>(keys.claws, (list) =>
    list?.map((claw) => (claw.id === id ? { ...claw, status } : claw)),
  );
  client.setQueryData<Claw>(keys.claw(id), (claw) => claw && { ...claw, status });
}

/** Whatever changed was done by somebody: what is on screen of the audit log is asked again. */
function audited(client: QueryClient) {
  // Somebody may be fetching older pages just now; starting over would lose them.
  void client.invalidateQueries({ queryKey: keys.audit }, { cancelRefetch: false });
}

function changed(client: QueryClient, kind: string, id: string, version: unknown) {
  const again = (queryKey: readonly unknown[], exact = false) => void renew(client, { queryKey, exact });
  switch (kind) {
    case "node": {
      renewLine(client, id);
      if (isOld(client.getQueryData<Node>(keys.node(id)), version)) return;
      again(keys.node(id));
      return;
    }
    case "claw": {
      if (isOld(client.getQueryData<Claw>(keys.claw(id)), version)) return;
      again(keys.claws, true);
      again(keys.claw(id));
      again(keys.quota);
      return;
    }
    case "sandbox": {
      // The id is the sandbox's own; the agent that has it is found in what the page already knows.
      const known = client.getQueriesData<Claw>({ queryKey: keys.claws });
      again(keys.claws, true);
      for (const [key, claw] of known) {
        if (!claw || Array.isArray(claw) || key.length !== 2) continue;
        const held: SandboxBrief | null | undefined = claw.sandbox;
        if (!held || held.id === id || claw.id === id) again(key);
      }
      again(keys.teamSandboxes);
      again(keys.nodes);
      again(keys.reserved);
      again(keys.quota);
      return;
    }
    case "placement":
      return again(keys.placement);
    case "quota":
      return again(keys.quota);
    case "door":
      return again(keys.doors);
    case "app_connection":
      return again(keys.connections);
    case "mesh_network":
      return again(keys.mesh);
    case "repo":
      // A mirror at work says how far it is every second, which only its own page shows.
      return again(keys.repo(id));
    case "repo_connection":
      return again(keys.repos);
    case "run":
      again(keys.runs);
      return again(keys.run(id));
    case "run_repo":
      return again(keys.runRepo(id));
    case "mission":
      again(keys.missions);
      return again(keys.mission(id));
    case "routine":
    case "team":
    case "skill":
    case "team_template":
    case "model":
    case "level_up":
      return again([kind]);
    case "workspace":
      again(keys.me);
      // Its plan may be another one.
      again(keys.quota);
      again(keys.workspace(id));
      return again(keys.members(id));
  }
}

export function applyEvents(client: QueryClient, events: LiveEvent[]) {
  for (const { type, data } of events) {
    const agent = data["agentId"];
    if (type === "agent.status" && typeof agent === "string") {
      patchStatus(client, agent, data["status"] as Claw["status"]);
    } else if (
      type === "resource.changed" &&
      typeof data["kind"] === "string" &&
      typeof data["id"] === "string"
    ) {
      changed(client, data["kind"], data["id"], data["version"]);
      audited(client);
    } else if (type === "placement.fallback") {
      void renew(client, { queryKey: typeof agent === "string" ? keys.claw(agent) : keys.teamSandboxes });
    } else if (type === "node.activity") {
      void renew(client, { queryKey: keys.commands });
    } else if (type === "door.request" || type === "door.resolve") {
      void renew(client, { queryKey: keys.doors });
    } else if (type === "beat") {
      // Sign-ins change no resource, and an entry gets its place in the chain a moment after it was written.
      audited(client);
    }
  }
}
