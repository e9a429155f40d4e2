// Requests of the mock's agents for actions in the outside world, as the gateway's own catalogue has them.
import { readFileSync } from "node:fs";
import type { Claw, Door, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

/** As the gateway gave it (`GET /api/doors/catalogue`). */
export const CATALOGUE: Schemas["CatalogueAction"][] = JSON.parse(
  readFileSync(new URL("./catalogue.json", import.meta.url), "utf8"),
);

let doors = 0;
export function makeDoor(claw: Claw, more: Partial<Door> = {}): Door {
  const door: Door = {
    id: `0198c0de-0000-7000-8002-${String((doors += 1)).padStart(12, "0")}`,
    agent_id: claw.id,
    agent_name: claw.name,
    action: "github.issues.create",
    target: "octo/hello",
    summary: "Open the issue “Nightly build fails”",
    address: "https://api.github.com/repos/octo/hello/issues",
    params: {
      body: "It fails since Monday.\n\n1. build\n2. see",
      labels: ["bug"],
      owner: "octo",
      repo: "hello",
      title: "Nightly build fails",
    },
    state: "pending",
    requested_by: claw.managed_by,
    created_at: at(-120),
    expires_at: at(86_280),
    decided_by: null,
    decided_at: null,
    result: null,
    allowed_by_setting: false,
  };
  return { ...door, ...more };
}

export function makeDoors(state: State): Door[] {
  const [scribe, mason] = state.claws;
  if (!scribe) return [];
  const decided = { decided_by: state.user, decided_at: at(-3500), created_at: at(-3600) };
  return [
    makeDoor(mason),
    makeDoor(scribe, {
      action: "webhook.event.send",
      target: "webhook",
      summary: "Send the event “release.published”",
      address: "https://hooks.example/releases",
      params: { event: "release.published", payload: { text: "0.4 is out", channel: "#releases" } },
      created_at: at(-60),
      expires_at: at(1500),
    }),
    makeDoor(mason, {
      ...decided,
      state: "performed",
      result: { status: 201, url: "https://github.com/octo/hello/issues/7", message: null },
    }),
    makeDoor(scribe, { ...decided, target: "octo/other", state: "denied", created_at: at(-7200) }),
    makeDoor(mason, {
      ...decided,
      target: "octo/unclear",
      state: "unclear",
      created_at: at(-9000),
      result: { message: "The app's answer did not arrive." },
    }),
  ];
}
