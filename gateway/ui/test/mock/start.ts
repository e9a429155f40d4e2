// `npm run mock`: the mock gateway with seeded data, for looking at the page. Sign in with the words it prints.
import { makeHealth } from "./nodes.ts";
import { startMock } from "./server.ts";

const mock = await startMock({
  port: Number(process.env["PORT"] ?? 7667),
  full: !process.argv.includes("--empty"),
  ownerReady: !process.argv.includes("--first-run"),
});
const { user, password, oneTime } = mock.state;
console.log(`${mock.url}  ${user.email}  ${password}  one-time: ${oneTime}`);
setInterval(() => {
  for (const node of mock.state.nodes) {
    if (node.connection !== "connected") continue;
    const before = node.health?.cpu_pct ?? 20;
    node.health = makeHealth(Math.min(97, Math.max(2, before + (Math.random() - 0.5) * 18)));
    node.last_seen_at = new Date().toISOString();
    mock.hub.changed("node", node.id, node.version);
  }
}, 2000);
