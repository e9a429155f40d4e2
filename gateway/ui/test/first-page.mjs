// How soon the first page can be used, against the real gateway with its embedded page: bytes, first paint, interactive.
// ROOST_TEST_BIN_DIR holds the built programs. A release build has the page inside; a debug build reads it from dist.
import { launch, shots, visitor } from "./kit.ts";
import { startGateway, remove } from "./real.mjs";

const bin = process.env.ROOST_TEST_BIN_DIR;
if (!bin) {
  console.error("Set ROOST_TEST_BIN_DIR to the folder of the built roost (target/release or target/debug).");
  process.exit(2);
}
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const QUIET_MS = 1000;
const PASSWORD = "eleven grey geese went by";
const gateway = await startGateway(bin, process.env.ROOST_TEST_IMAGE ?? "roost-agent:tiny");
const browser = await launch();

/** Signs in once; every measured visit is by a fresh browser with this sign-in and an empty cache. */
async function signedIn() {
  const { context, page } = await visitor(browser, { patience: 60_000 });
  await page.goto(gateway.url);
  await page.getByRole("textbox", { name: "One-time login" }).fill(gateway.oneTime);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Runs in the page before anything else of it: notes long tasks and when the first thing that can be used is there. */
function watch() {
  window.seen = { busyUntil: 0, usable: undefined };
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.seen.busyUntil = task.startTime + task.duration;
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    const there =
      document.querySelector("h1") && document.querySelector("main a[href], main button, main input");
    if (there && !document.querySelector(".skeleton")) window.seen.usable = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function visit(path, { storageState, slow }) {
  const { context, page } = await visitor(browser, { storageState, patience: 60_000 });
  await page.addInitScript(watch);
  const session = await context.newCDPSession(page);
  if (slow) {
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await session.send("Network.enable");
    const bytes = (10 * 1_000_000) / 8;
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 40, downloadThroughput: bytes, uploadThroughput: bytes }); // prettier-ignore
  }
  await page.goto(gateway.url + path);
  await page.waitForFunction(
    (quiet) =>
      window.seen?.usable && performance.now() - Math.max(window.seen.usable, window.seen.busyUntil) > quiet,
    QUIET_MS,
  );
  const measured = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    // Usable, and the main thread free from then on: a press is answered at once.
    interactive: Math.max(window.seen.usable, window.seen.busyUntil),
    bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map(({ encodedBodySize }) => encodedBodySize)
      .reduce((a, b) => a + b, 0),
  }));
  await context.close();
  return measured;
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  const storageState = await signedIn();
  for (const [what, path, more] of [
    ["sign-in", "/sign-in", {}],
    ["home", "/", { storageState }],
    ["fleet", "/fleet", { storageState }],
    ["fleet, processor 4 times slower, 10 Mbit/s and 40 ms", "/fleet", { storageState, slow: true }],
  ]) {
    const all = [];
    for (let round = 0; round < ROUNDS; round += 1) all.push(await visit(path, more));
    const ms = (key) => `${Math.round(middle(all.map((one) => one[key])))} ms`;
    const worst = Math.round(Math.max(...all.map((one) => one.interactive)));
    console.log(
      `${what}: first paint ${ms("paint")}, interactive ${ms("interactive")} (median of ${ROUNDS}, worst ${worst} ms), ${(middle(all.map((one) => one.bytes)) / 1000).toFixed(1)} KB received`,
    );
  }
} finally {
  await browser.close();
  await gateway.stop();
  remove(gateway.folder);
  if (!process.env.SHOTS) remove(shots);
}
