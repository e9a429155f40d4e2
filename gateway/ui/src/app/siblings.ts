// What stands beside the page or thing on screen: the places, or the other machines or agents in the order of their list.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { clawsQuery } from "~/domains/agents/queries";
import { nodesQuery } from "~/domains/fleet/queries";
import { apart } from "~/ui/apart";
import { isolate } from "~/ui/isolate";
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

/** All things of a kind, by name. Asked of the gateway only where no page has done so yet. */
export async function thingsOf(client: QueryClient, kind: ThingKind): Promise<Thing[]> {
  if (kind === "node") {
    const nodes = await client.ensureQueryData(nodesQuery);
    return nodes
      .map(({ id, name, host, status }) => ({
        kind,
        id,
        name,
        hint: host ? `${isolate(host)}, ${status}` : status,
      }))
      .toSorted(byName);
  }
  const claws = (await client.ensureQueryData(clawsQuery)).filter((claw) => !claw.deleted_at);
  const names = apart(claws.map(({ id, name }) => [id, name]));
  return claws
    .map(({ id, name, role, status }) => ({
      kind,
      id,
      name: names.get(id) ?? name,
      hint: role ? `${isolate(role)}, ${status}` : status,
    }))
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
