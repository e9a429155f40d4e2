// The mock's supervision tree.
import type { ServerResponse } from "node:http";
import { ago } from "./ids.ts";
import type { Actor, Node, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

interface Stream {
  state: State;
  response: ServerResponse;
}

function actor(id: string, kind: Actor["kind"], more: Partial<Actor> = {}, children: Actor[] = []): Actor {
  const one: Actor = {
    id,
    name: id.split("/").at(-1) ?? id,
    kind,
    ownership: "local",
    tenant: null,
    serves: null,
    state: "running",
    created_at: ago(4000),
    started_at: ago(4000),
    restarts: 0,
    last_failure: null,
    handled: 1240,
    lost: 0,
    lifetime: "static",
    restart: "permanent",
    restartable: true,
    mailbox: { len: 0, oldest_ms: 0 },
    children,
  };
  return { ...one, ...more };
}
export function makeTree(nodes: Node[]): Actor {
  const links = nodes.map((node) =>
    actor(`root/fleet/node-${node.name}`, "node", { serves: node.name, handled: 8812, tenant: "w1" }),
  );
  if (links[0])
    Object.assign(links[0], {
      restarts: 2,
      started_at: ago(20),
      last_failure: { at: ago(21), text: "the socket closed in the middle of a frame" },
    });
  return actor("root", "supervisor", { mailbox: null, restartable: false }, [
    actor("root/store", "event_writer", { handled: 48_211 }),
    actor("root/events", "event_relay", { mailbox: { len: 3, oldest_ms: 4 } }),
    actor("root/fleet", "supervisor", { mailbox: null }, links),
    actor("root/sandboxes", "supervisor", { mailbox: null }, [
      actor("root/sandboxes/scribe", "worker", { serves: "scribe" }, [
        actor("root/sandboxes/scribe/exec-1", "job", { state: "stopping", handled: 12, restartable: false }),
      ]),
      actor("root/sandboxes/old", "worker", {
        state: "failed",
        restarts: 5,
        serves: "mason",
        last_failure: { at: ago(300), text: "engine did not answer within 10 s; gave up after 5 restarts" },
      }),
    ]),
    actor("root/http", "http_listener", { handled: 9_034 }),
  ]);
}

export function find(root: Actor, id: string): Actor | undefined {
  return root.id === id ? root : root.children.map((child) => find(child, id)).find(Boolean);
}

export function explanation(root: Actor, id: string): Schemas["Explanation"] | undefined {
  const found = find(root, id);
  return (
    found && {
      actor: { ...found, children: [] },
      does: "One paired machine: owns its connection, operations and streams.",
      why: found.last_failure
        ? [
            `It failed: ${found.last_failure.text}`,
            "Its policy is permanent: however it ends, its supervisor starts it again.",
          ]
        : ["It has not been restarted: it runs since its first start."],
      past: found.last_failure
        ? [
            { at: ago(400), cause: "operator", text: null },
            { ...found.last_failure, cause: "failed" },
          ]
        : [],
      holds: ["In memory: the connection of one machine.", "No message waits for it."],
      lost: ["Lost with it: nothing: operations are rows before they are sent."],
      not_restartable: found.restartable ? null : "it is work that runs once",
    }
  );
}

const PROMISES: [id: string, text: string, promised: boolean][] = [
  ["P1", "An accepted operation ends in exactly one state that its caller sees.", true],
  ["P3", "Output can be read again from any offset; a gap is marked, never silent.", true],
  ["P4", "A sandbox outlives its lease by at most 60 s.", false],
];

export const promises = (broken3 = 1): Schemas["Promises"] => ({
  since: ago(4000),
  promises: PROMISES.map(([id, text, promised]) => {
    const broken = id === "P3" ? broken3 : 0;
    return {
      id,
      text,
      promised,
      broken,
      defended: promised ? 3 : 0,
      watches: promised
        ? [
            { name: `${id}_a`, says: "A second one came in and was refused.", finding: "defended", count: 3 },
            {
              name: `${id}_b`,
              says: "A reader got what does not continue, without a mark.",
              finding: "broken",
              count: broken,
            },
          ]
        : [],
    };
  }),
});

/** What a snapshot and a change of the tree begin with. */
export const head = () => ({ at: ago(0), living: 12, forced_kills: 0 });

/** Streams the promises: all of them, and again whenever `mock.state.brokenNow` changes. */
export function streamPromises({ state, response }: Stream): undefined {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let told: number | undefined;
  const timer = setInterval(() => {
    if (!state.operator || state.treeCut) return response.end();
    const now = state.brokenNow ?? 1;
    if (now === told) return;
    told = now;
    response.write(`event: promises\ndata: ${JSON.stringify(promises(now))}\n\n`);
  }, 50);
  response.on("close", () => clearInterval(timer));
}

/** Streams the tree: a snapshot, then what `mock.state.treeNews` holds. It ends when the person is not an operator any more. */
export function streamTree({ state, response }: Stream): undefined {
  const write = <T extends keyof Schemas["TreeEvents"]>(event: T, data: Schemas["TreeEvents"][T]) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  write("tree", { ...head(), root: makeTree(state.nodes) });
  const timer = setInterval(() => {
    if ((!state.operator && !state.ownTree) || state.treeCut) return response.end();
    const news = state.treeNews?.shift();
    if (news) write("delta", { ...head(), changed: [], gone: [], ...news });
  }, 100);
  response.on("close", () => clearInterval(timer));
}
