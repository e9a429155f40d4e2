// The mock's supervision tree.
import { ago } from "./state.mjs";

function actor(id, kind, more = {}, children = []) {
  return {
    id,
    name: id.split("/").at(-1),
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
    mailbox: { len: 0, oldest_ms: 0 },
    strategy: null,
    children,
    ...more,
  };
}
export function makeTree(nodes) {
  const links = nodes.map((node) =>
    actor(`root/fleet/node-${node.name}`, "node", { serves: node.name, handled: 8812 }),
  );
  if (links[0])
    Object.assign(links[0], {
      restarts: 2,
      started_at: ago(20),
      last_failure: { at: ago(21), text: "the socket closed in the middle of a frame" },
    });
  return actor("root", "supervisor", { strategy: "rest_for_one", mailbox: null }, [
    actor("root/store", "store", { handled: 48_211 }),
    actor("root/events", "event log", { mailbox: { len: 3, oldest_ms: 4 } }),
    actor("root/fleet", "supervisor", { strategy: "one_for_one", mailbox: null }, links),
    actor("root/sandboxes", "supervisor", { strategy: "one_for_one", mailbox: null }, [
      actor("root/sandboxes/scribe", "sandbox", { serves: "scribe" }, [
        actor("root/sandboxes/scribe/exec-1", "exec", { state: "stopping", handled: 12 }),
      ]),
      actor("root/sandboxes/old", "sandbox", {
        state: "failed",
        restarts: 5,
        serves: "mason",
        last_failure: { at: ago(300), text: "engine did not answer within 10 s; gave up after 5 restarts" },
      }),
    ]),
    actor("root/http", "listener", { handled: 9_034 }),
  ]);
}
