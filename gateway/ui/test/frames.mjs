// `npm run figure:frames`: how smooth the fleet page is with 500 live machines that each report every ten seconds.
// Frame times are taken in the page with requestAnimationFrame, first at rest and then while it is scrolled.
// Headless Chromium without a GPU, as somebody who wants no motion; the page is the built one, the gateway is the mock.
import { launch, until, visitor } from "./kit.ts";
import { startMock } from "./mock/server.ts";
import { makeHealth, makeNode } from "./mock/nodes.ts";

const MACHINES = Number(process.env.MACHINES ?? 500);
const BEAT_MS = 10_000;
const SECONDS = Number(process.env.FRAMES_SECONDS ?? 15);
const MOST_MS = 25;

const mock = await startMock();
for (let n = mock.state.nodes.length; n < MACHINES; n += 1)
  mock.state.nodes.push(makeNode(`box-${String(n).padStart(4, "0")}`, { sandboxes: n % 5 }));
const browser = await launch();
const { page } = await visitor(browser, { width: 1440, height: 900 });
await page.goto(`${mock.url}/sign-in?next=%2Ffleet`);
await page.getByLabel("E-mail").fill(mock.state.user.email);
await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
await page.getByRole("button", { name: "Sign in", exact: true }).click();
await page.getByText(`${MACHINES} machines`).waitFor();
await page.getByText("Live", { exact: true }).waitFor();

// As the gateway does it: all machines that reported in the last second are in one batch.
let turn = 0;
const perSecond = Math.ceil(MACHINES / (BEAT_MS / 1000));
const beats = setInterval(() => {
  for (let n = 0; n < perSecond; n += 1) {
    const node = mock.state.nodes[(turn += 1) % MACHINES];
    const health = makeHealth(Math.round(Math.random() * 100));
    Object.assign(node, { health, last_seen_at: health.at, version: node.version + 1 });
    mock.hub.changed("node", node.id, node.version);
  }
}, 1000);

const measure = (scrolling) =>
  page.evaluate(
    ([seconds, moving]) =>
      new Promise((done) => {
        const times = [];
        let before = performance.now();
        const end = before + seconds * 1000;
        const frame = (now) => {
          times.push(now - before);
          before = now;
          if (moving) window.scrollBy(0, Math.floor(now / 2000) % 2 ? -40 : 40);
          if (now < end) requestAnimationFrame(frame);
          else done(times.slice(1));
        };
        requestAnimationFrame(frame);
      }),
    [SECONDS, scrolling],
  );

// Processor time of the page's main thread says what a frame costs, also on a machine that does other things.
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable", { timeDomain: "threadTicks" });
const busy = async () => {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
};

const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)];
let worst = 0;
const asked = mock.state.lineRequests.length;
for (const [name, moving] of [
  ["at rest", false],
  ["scrolling", true],
]) {
  const before = await busy();
  const times = await measure(moving);
  const after = await busy();
  const each = (name) => ((after[name] - before[name]) / times.length).toFixed(2);
  const p95 = at(times, 0.95);
  worst = Math.max(worst, p95);
  const parts = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].map(
    (name) => `${name.replace("Duration", "").toLowerCase()} ${each(name)}`,
  );
  console.log(
    `${name}: main thread ${each("TaskDuration")} ms of processor time a frame (${parts.join(", ")})`,
  );
  console.log(
    `${name}: ${MACHINES} machines, ${times.length} frames in ${SECONDS} s, ${(times.length / SECONDS).toFixed(1)} fps, ` +
      `p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
  );
}
clearInterval(beats);
await until("the requests to end", () => true);
const requests = mock.state.lineRequests.slice(asked);
console.log(
  `requests for lines: ${requests.length} in ${2 * SECONDS} s, of which ${requests.filter((one) => one === "all").length} for the whole list`,
);
await browser.close();
await mock.close();
if (worst > MOST_MS) {
  console.log(`p95 is above ${MOST_MS} ms`);
  process.exit(1);
}
