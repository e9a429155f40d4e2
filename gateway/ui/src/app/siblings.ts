// What stands beside the page or thing on screen: the places, or the other machines or agents in the order of their list.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { waitingDoorsQuery } from "~/api/doors";
import { meQuery } from "~/api/me";
import { clawsQuery } from "~/domains/agents/queries";
import { nodesQuery } from "~/domains/fleet/queries";
import { agentStates, agentWord } from "~/ui/agent-state";
import { apart } from "~/ui/apart";
import { isolate } from "~/ui/isolate";
import { nodeState } from "~/ui/node-state";
import { thingAt } from "./crumb-menu";

export type ThingKind = "node" | "agent";

export interface Thing {
  kind: ThingKind;
  id: string;
  name: string;
  /** A few words that tell it from others of the same name. */
  hint: string;
}

const ROUTE = { node: "/fleet/$id", agent: "/claws/$id" } as const;

const byName = (a: Thing, b: Thing) =>
  a.name.localeCompare(b.name, "en", { numeric: true }) || a.id.localeCompare(b.id);

/** The agents that wait for an approval, where the person may see what is asked for. */
async function waitingAgents(client: QueryClient): Promise<ReadonlySet<string>> {
  if (!client.getQueryData(meQuery.queryKey)?.permissions.includes("doors.read")) return new Set();
  // Without the approvals the other words are still true.
  const doors = await client.ensureQueryData(waitingDoorsQuery).catch(() => []);
  return new Set(doors.map(({ agent_id }) => agent_id));
}

/** All things of a kind, by name, with the words for their state that the lists have. Asked of the gateway only where no page has done so yet. */
export async function thingsOf(client: QueryClient, kind: ThingKind): Promise<Thing[]> {
  if (kind === "node") {
    const nodes = await client.ensureQueryData(nodesQuery);
    return nodes
      .map((node) => {
        const { id, name, host } = node;
        const { word } = nodeState(node);
        return { kind, id, name, hint: host ? `${isolate(host)}, ${word}` : word };
      })
      .toSorted(byName);
  }
  const [found, waiting] = await Promise.all([client.ensureQueryData(clawsQuery), waitingAgents(client)]);
  const claws = found.filter((claw) => !claw.deleted_at);
  const names = apart(claws.map(({ id, name }) => [id, name]));
  return claws
    .map((claw) => {
      const { id, name, role } = claw;
      const { word } = agentStates[agentWord(claw, waiting.has(id))];
      return { kind, id, name: names.get(id) ?? name, hint: role ? `${isolate(role)}, ${word}` : word };
    })
    .toSorted(byName);
}

/** The thing so many places further in its list; undefined at either end. */
export function neighbour(things: Thing[], id: string, step: number): Thing | undefined {
  const at = things.findIndex((thing) => thing.id === id);
  return at === -1 ? undefined : things[at + step];
}

export function useThings() {
  const client = useQueryClient();
  const router = useRouter();
  const here = useLocation({ select: ({ pathname }) => pathname });
  const go = ({ kind, id }: Thing) =>
    // The same tab of the next thing: a person who walks through them looks at one aspect.
    void router.navigate({
      to: ROUTE[kind],
      params: { id },
      ...(thingAt(router.state.location.pathname)?.kind === kind && { search: router.state.location.search }),
    });
  return {
    at: thingAt(here),
    load: (kind: ThingKind) => thingsOf(client, kind),
    go,
    /** Goes to the previous or next thing of the list, where there is one. */
    step: async (by: 1 | -1) => {
      const at = thingAt(router.state.location.pathname);
      if (!at) return;
      const next = neighbour(await thingsOf(client, at.kind), at.id, by);
      if (next) go(next);
    },
  };
}
