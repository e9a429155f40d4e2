// What every browser test needs: a Chromium that reports faults, axe, screenshots, waiting without sleeping.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
// Lines that say nothing about the page: a driver without a GPU, and requests that a test makes fail on purpose.
const NOISE = [/GPU stall/, /WebGL/, /Failed to load resource/, /This page did not arrive/];

export const shots = process.env.SHOTS ?? mkdtempSync(join(tmpdir(), "roost-ui-"));
mkdirSync(shots, { recursive: true });

export async function launch(more = {}) {
  return chromium.launch({
    ...more,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ARGS,
  });
}

/** A fresh person at a fresh browser. `faults` gathers console errors and policy violations. */
export async function visitor(
  browser,
  { theme = "dark", width = 1280, height = 860, patience = 10_000, storageState } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    bypassCSP: false,
    ...(storageState && { storageState }),
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const faults = [];
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !NOISE.some((noise) => noise.test(text))) faults.push(text);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return { context, page, faults };
}

export const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });

/** Every violation of WCAG 2.0 to 2.2, A and AA, as readable lines. Runs in an isolated world, past the page's policy. */
export async function axe(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const run = (expression) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await run(AXE);
  const { result, exceptionDetails } = await run(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target + " " + (n.any[0]?.message ?? n.failureSummary))))`,
  );
  await session.detach();
  if (exceptionDetails) throw new Error(`axe did not run: ${exceptionDetails.text}`);
  return result.value;
}

/** Waits until `check` holds, asking again every 50 ms; the deadline is only there to end a broken run. */
export async function until(what, check, deadlineMs = 15_000) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/**
 * Presses "Try again", whose press alone ends every planned failure of the mock. A page also asks again by itself, when
 * its stream opens: a failure that ended before the press would let the button go away under the pointer.
 */
export async function tryAgain(page, mock) {
  await page.evaluate(() => {
    const mend = () => {
      const request = new XMLHttpRequest();
      request.open("POST", "/api/mock/mend", false);
      request.send();
    };
    document.addEventListener("click", mend, { capture: true, once: true });
  });
  await page.getByRole("button", { name: "Try again" }).first().click();
  assert.equal(mock.state.failNext.size, 0, "the press was heard");
}

/** Runs tests one after another, keeps going, and says at the end what failed. */
export async function runAll(tests) {
  const only = process.argv[2];
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (only && !name.includes(only)) continue;
    const start = Date.now();
    try {
      await test();
      console.log(`ok    ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${name}\n      ${String(error.stack ?? error).replaceAll("\n", "\n      ")}`);
    }
  }
  console.log(`screenshots: ${shots}`);
  return failed;
}
