// Requests of the mock's agents for actions in the outside world.
const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

export const CATALOGUE = [
  {
    action: "github.issues.create",
    title: "Open an issue",
    description: "Opens an issue in a repository of GitHub.",
    params_schema: {
      type: "object",
      properties: {
        title: { type: "string", title: "Title" },
        body: { type: "string", title: "Text" },
        labels: { type: "array", title: "Labels" },
      },
    },
  },
  {
    action: "webhook.message.send",
    title: "Call the webhook",
    description: "Sends a message to the agent's webhook.",
    params_schema: { type: "object", properties: { message: { type: "object" } } },
  },
];

let doors = 0;
export function makeDoor(claw, more = {}) {
  return {
    id: `0198c0de-0000-7000-8002-${String((doors += 1)).padStart(12, "0")}`,
    agent_id: claw.id,
    agent_name: claw.name,
    action: "github.issues.create",
    target: "octo/hello",
    summary: "The nightly build fails; I want to write it down.",
    params: {
      body: "It fails since Monday.\n\n1. build\n2. see",
      title: "Nightly build fails",
      labels: ["bug"],
    },
    state: "pending",
    requested_by: claw.managed_by,
    created_at: at(-120),
    expires_at: at(86_280),
    decided_by: null,
    decided_at: null,
    result: null,
    ...more,
  };
}

export function makeDoors(state) {
  const [scribe, mason] = state.claws;
  if (!scribe) return [];
  const decided = { decided_by: state.user, decided_at: at(-3500), created_at: at(-3600) };
  return [
    makeDoor(mason),
    makeDoor(scribe, {
      action: "webhook.message.send",
      target: "hooks.example.org",
      summary: "Tell the team that 0.4 is out.",
      params: { message: { text: "0.4 is out", channel: "#releases" } },
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
