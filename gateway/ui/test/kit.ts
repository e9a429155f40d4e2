// What every browser test needs: a Chromium that reports faults, axe, screenshots, waiting without sleeping.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from "@playwright/test";

declare global {
  interface Window {
    /** Requests of the page that have no answer yet. */
    asking: number;
    /** Set by a script that must never run. */
    hacked?: unknown;
    pwned?: unknown;
  }
}

export type Theme = "dark" | "light";
export const THEMES: readonly Theme[] = ["dark", "light"];

/** What of the mock gateway a press of "Try again" is about. */
interface Planned {
  state: { failNext: Map<string, Error> };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Of Chromium, for every program that starts it. */
export const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
// Lines that say nothing about the page: a driver without a GPU, and requests that a test makes fail on purpose.
const NOISE = [/GPU stall/, /WebGL/, /Failed to load resource/];

/** `ROOST_BROWSER_SLOW=4`: every page gets a quarter of a processor. What a test waits for must come on any machine. */
const SLOW = Number(process.env["ROOST_BROWSER_SLOW"] ?? 1);
/** Only ends a run in which a condition never comes true; nothing is measured by it. */
const PATIENCE = Number(process.env["PATIENCE_MS"] ?? 60_000);

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const { SHOTS, CI } = process.env;
export const shots = SHOTS ?? join(tmpdir(), `roost-ui-${process.pid}`);
const pictured = SHOTS !== undefined || CI === undefined;

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGS });

/** Runs in every page before anything else of it: counts the requests that have no answer yet, read to its end. */
function countAsking() {
  window.asking = 0;
  const counted =
    <A extends unknown[], R>(call: (...all: A) => Promise<R>) =>
    async (...all: A): Promise<R> => {
      window.asking += 1;
      try {
        return await call(...all);
      } finally {
        window.asking -= 1;
      }
    };
  window.fetch = counted(window.fetch.bind(window));
  const { text } = Response.prototype;
  Response.prototype.text = function read(this: Response) {
    return counted(text.bind(this))();
  };
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW });
}

export interface Person {
  theme?: Theme;
  width?: number;
  height?: number;
  patience?: number;
  storageState?: BrowserContextOptions["storageState"];
}

/** A fresh person at a fresh browser. `faults` gathers console errors and policy violations. */
export async function visitor(
  browser: Browser,
  { theme = "dark", width = 1280, height = 860, patience = PATIENCE, storageState }: Person = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    bypassCSP: false,
    ...(storageState && { storageState }),
  });
  context.setDefaultTimeout(patience);
  await context.addInitScript(countAsking);
  // A page that is closed at once needs no slowing.
  if (SLOW > 1) context.on("page", (page) => void slowDown(page).catch(() => undefined));
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !NOISE.some((noise) => noise.test(text))) faults.push(text);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  return { context, page, faults };
}

/** A picture for people, in the folder `shots`. CI has nobody who looks at them. */
export async function shot(page: Page, name: string): Promise<void> {
  if (pictured) await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** A picture in each theme. The page has its own theme again afterwards. */
export async function shotBoth(page: Page, name: string): Promise<void> {
  if (!pictured) return;
  const before = await shown(page);
  for (const theme of THEMES) {
    await show(page, theme);
    await shot(page, `${name}-${theme}`);
  }
  await show(page, before);
}

/** The DOM library does not know it. */
interface LayoutShift extends PerformanceEntry {
  hadRecentInput: boolean;
  value: number;
}

/** How much the page moved by itself since it was opened. */
export const shift = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as LayoutShift[])
            if (!entry.hadRecentInput) sum += entry.value;
        });
        observer.observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
      }),
  );

/** Every violation of WCAG 2.0 to 2.2, A and AA, as readable lines. */
export const axe = async (page: Page): Promise<string[]> => (await axeIn(page, [undefined]))[0]!;

/** The same in both themes; a line begins with its theme. The page has its own theme again afterwards. */
export async function axeBoth(page: Page): Promise<string[]> {
  const before = await shown(page);
  const found = await axeIn(page, THEMES);
  await show(page, before);
  return found.flatMap((lines, at) => lines.map((line) => `${THEMES[at]}: ${line}`));
}

/** The same in each of these themes. The page follows the system's theme, and is in the last of them afterwards. */
export async function axeIn(page: Page, themes: readonly (Theme | undefined)[]): Promise<string[][]> {
  // A button that happens to be half under the bar at the top would be taken for one that is too small.
  await page.evaluate(() => window.scrollTo(0, 0));
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  // Past the page's policy.
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const run = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await run(AXE);
  const found: string[][] = [];
  for (const theme of themes) {
    if (theme !== undefined) await show(page, theme);
    const { result, exceptionDetails } = await run(
      `axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        resultTypes: ["violations"],
      }).then((r) => r.violations.flatMap((v) =>
        v.nodes.map((n) => v.id + ": " + n.target + " " + (n.any[0]?.message ?? n.failureSummary))))`,
    );
    if (exceptionDetails) throw new Error(`axe did not run: ${exceptionDetails.text}`);
    found.push(result.value as string[]);
  }
  await session.detach();
  return found;
}

/** The theme in which the page is drawn. */
const shown = (page: Page): Promise<Theme> =>
  page.evaluate(() => document.documentElement.dataset["theme"] as Theme);

/** The system changes its theme, and the page is drawn in it. */
export async function show(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((wanted) => document.documentElement.dataset["theme"] === wanted, theme);
}

/** Waits until `check` holds, asking again every 50 ms; the deadline is only there to end a broken run. */
export async function until(what: string, check: () => unknown, deadlineMs = PATIENCE): Promise<void> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const calm = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const here = () =>
      document.querySelector("h1, h2") !== null &&
      document.querySelector(".skeleton") === null &&
      window.asking === 0;
    if (!here()) return false;
    await document.fonts.ready;
    // What an answer changes is drawn in the next frame.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    return here();
  });

/** Waits until the page is there whole: nothing is being asked, no skeleton is left, its font has come. */
export const drawn = (page: Page, what = "the page") => until(`${what} to be drawn`, () => calm(page));

/**
 * Waits until nothing changes by itself any more. When its stream opens, a page asks again for all that is on screen; a
 * test that looks once, counts requests, or changes the mock without telling of it must not have that still to come.
 */
export async function settled(page: Page): Promise<void> {
  // On a narrow screen the word is in the rail all the same, which is out of sight.
  await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
  await drawn(page);
}

/** Chooses an option of a choice: by its value, its label, or its place. */
export async function choose(
  box: Locator,
  option: string | { label: string | RegExp } | { index: number },
): Promise<void> {
  const page = box.page();
  // Its open list has the same label.
  const button = box.and(page.getByRole("combobox"));
  await button.click();
  const options = page.locator(`[id="${await button.getAttribute("aria-controls")}"]`).getByRole("option");
  if (typeof option === "string") await options.and(page.locator(`[data-value="${option}"]`)).click();
  else if ("index" in option) await options.nth(option.index).click();
  else await options.filter({ has: page.getByText(option.label, { exact: true }) }).click();
}

/** Opens a part of the page that is folded, if it is: most of them are only on a phone. */
export async function unfold(page: Page, ...titles: string[]): Promise<void> {
  for (const title of titles) {
    const part = page.getByRole("region", { name: title, exact: true });
    await part.waitFor();
    const folded = part.locator("> details:not([open]) > summary");
    if ((await folded.count()) > 0) await folded.click();
  }
}

/** A press that must reach what has just opened: a layer gets the focus a moment after it is seen. */
export const hasFocus = (locator: Locator) =>
  until("the focus to be there", () => locator.evaluate((element) => element === document.activeElement));

/** Keys of the page are off while a layer covers it, also while it goes away. */
export const uncovered = (page: Page) =>
  until(
    "no layer to be open",
    async () => (await page.locator("[role=dialog], [role=alertdialog]").count()) === 0,
  );

/**
 * Presses "Try again", whose press alone ends every planned failure of the mock. A page also asks again by itself, when
 * its stream opens: a failure that ended before the press would let the button go away under the pointer.
 */
export async function tryAgain(page: Page, mock: Planned): Promise<void> {
  await page.evaluate(() => {
    const mend = () => {
      const request = new XMLHttpRequest();
      request.open("POST", "/api/mock/mend", false);
      request.send();
    };
    document.addEventListener("click", mend, { capture: true, once: true });
  });
  const buttons = page.getByRole("button", { name: "Try again" });
  // The page may be asking by itself just now, and shows no button meanwhile.
  await buttons.first().waitFor();
  const before = Math.max(1, await buttons.count());
  await buttons.first().click();
  assert.equal(mock.state.failNext.size, 0, "the press was heard");
  // A press while a question of the page's own is under way joins that one, which fails as planned: a person presses again.
  const gone = (patience?: number) =>
    until("the failure to go", async () => (await buttons.count()) < before, patience);
  for (let press = 0; press < 4; press += 1) {
    try {
      return await gone(3000);
    } catch {
      await buttons
        .first()
        .click({ timeout: 1000 })
        .catch(() => undefined);
    }
  }
  await gone();
}

/** Runs tests one after another, keeps going, and says at the end what failed. */
export async function runAll(tests: Record<string, () => Promise<unknown>>): Promise<number> {
  const only = process.argv[2];
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (only !== undefined && !new RegExp(only).test(name)) continue;
    const start = Date.now();
    try {
      await test();
      console.log(`ok    ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      console.log(
        `FAIL  ${name}\n      ${String((error instanceof Error && error.stack) || error).replaceAll("\n", "\n      ")}`,
      );
    }
  }
  console.log(`screenshots: ${shots}`);
  return failed;
}
