// Notices from what really happens: events of the stream, answers of the gateway, and how things stood at the last visit.
import { gatewayNow } from "~/api/clock";
import type { QueryClient } from "@tanstack/react-query";
import { api, onProblem } from "~/api/client";
import { keys } from "~/api/keys";
import type { Door } from "~/api/doors";
import type { Claw, NodeLine } from "~/api/types";
import { clawsQuery } from "~/domains/agents/queries";
import { nodesQuery } from "~/domains/fleet/queries";
import { onNews } from "~/live/news";
import { watchAllEvents } from "~/live/provider";
import type { LiveEvent } from "~/live/stream";
import { compareAgents, compareDoors, compareMissions, compareNodes, compareRuns } from "./model";
import { notices } from "./store";

interface Named {
  id: string;
  name: string;
}

/** Lists are asked again at most so often: a report of every machine comes each ten seconds as well. */
const APART_MS = 10_000;
const RUNS_APART_MS = 3_000;

/** Runs at once, then at most once in a while; a call in between runs at its end. */
export function seldom(run: () => void, apart = APART_MS): { call: () => void; stop: () => void } {
  let next = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const go = () => {
    timer = undefined;
    next = Date.now() + apart;
    run();
  };
  return {
    call: () => {
      if (timer !== undefined) return;
      const wait = next - Date.now();
      if (wait <= 0) go();
      else timer = setTimeout(go, wait);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Lists that a page asks for are compared as they come; where no page does, an event makes this one ask. Missions are
 * only asked for where the person may read them.
 */
export function watchNotices(client: QueryClient, me: string, readsMissions: boolean): () => void {
  const take = (key: readonly unknown[], data: unknown) => {
    if (!Array.isArray(data)) return;
    if (key[0] === keys.doorsWaiting[0] && key[1] === keys.doorsWaiting[1]) {
      notices.compare((was) => compareDoors(was, data as Door[], gatewayNow()));
      notices.settle(new Set((data as Door[]).map(({ id }) => `door:${id}`)));
    }
    if (key.length !== 1) return;
    if (key[0] === keys.nodes[0])
      notices.compare((was) => compareNodes(was, data as NodeLine[], gatewayNow()));
    if (key[0] === keys.claws[0]) notices.compare((was) => compareAgents(was, data as Claw[], gatewayNow()));
  };
  const uncached = client.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success")
      take(event.query.queryKey, event.query.state.data);
  });
  const again = (query: typeof nodesQuery | typeof clawsQuery) => {
    // What is on screen is asked again by itself.
    const active = client.getQueryCache().find({ queryKey: query.queryKey })?.isActive();
    if (!active)
      void client.fetchQuery({ ...query, staleTime: 0 } as typeof nodesQuery).catch(() => undefined);
  };
  const nodes = seldom(() => again(nodesQuery));
  const agents = seldom(() => again(clawsQuery));
  // Steps of a run change it as well, so it is asked seldom; what is found is the same in any tab.
  const runs = seldom(() => {
    // A goal for one agent alone is a chat, which the usual list leaves out. A list of all runs would be full of their parts.
    const ask = (list: { origin?: "chat" }) =>
      api.get("/api/topology-runs", { query: { limit: 50, ...list } });
    void Promise.all([ask({}), ask({ origin: "chat" })]).then(
      (lists) => {
        const found = lists.flatMap(({ items }) => items);
        notices.compare((was) => compareRuns(was, found, me, gatewayNow()));
      },
      () => undefined,
    );
  }, RUNS_APART_MS);
  const missions = seldom(() => {
    if (!readsMissions) return;
    void api.get("/api/missions", { query: { limit: 50 } }).then(
      ({ items }) => notices.compare((was) => compareMissions(was, items, me, gatewayNow())),
      () => undefined,
    );
  });
  // What a page asked for before this part had arrived.
  for (const key of [keys.nodes, keys.claws, keys.doorsWaiting]) take(key, client.getQueryData(key));
  nodes.call();
  agents.call();
  runs.call();
  missions.call();

  const event = ({ id, type, data }: LiveEvent, leading: boolean) => {
    // One tab of a browser looks; what it finds, the others read.
    if (!leading) return;
    if (type === "resource.changed" && data["kind"] === "node") nodes.call();
    if (type === "resource.changed" && data["kind"] === "sandbox") agents.call();
    if (type === "resource.changed" && data["kind"] === "run") runs.call();
    if (type === "resource.changed" && data["kind"] === "mission") missions.call();
    if (type !== "placement.fallback") return;
    const kind = typeof data["teamId"] === "string" ? "team" : "agent";
    const owner = data[`${kind}Id`];
    if (typeof owner !== "string") return;
    const list = client.getQueryData<Named[]>(kind === "team" ? [...keys.teams, "list"] : keys.claws);
    const name =
      list?.find((one) => one.id === owner)?.name ??
      client.getQueryData<Named>([...keys.teams, "one", owner])?.name;
    notices.add({
      id: `fallback:${id ?? Date.now()}`,
      kind: "placement-fallback",
      at: gatewayNow(),
      name: name ?? (kind === "team" ? "a team" : "an agent"),
      thing: { kind, id: owner },
      more: String(data["reason"] ?? ""),
      read: false,
    });
  };
  const unwatch = watchAllEvents(event);
  const unproblem = onProblem((problem) => {
    if (problem.code !== "quota-exceeded") return;
    notices.add({
      id: `quota:${problem.requestId ?? Date.now()}`,
      kind: "quota-refused",
      at: gatewayNow(),
      name: problem.title,
      more: problem.detail,
      read: false,
    });
  });
  const unnews = onNews(({ kind, name, more }) =>
    notices.add({ id: `${kind}:${Date.now()}`, kind, at: gatewayNow(), name, more, read: false }),
  );
  return () => {
    unnews();
    uncached();
    nodes.stop();
    agents.stop();
    runs.stop();
    missions.stop();
    unwatch();
    unproblem();
  };
}
