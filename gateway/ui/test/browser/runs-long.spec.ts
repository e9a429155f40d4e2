// A run of 3,000 calls: the page draws a part of them, says so, and leads to each.
import { axe, settled, shot, until } from "../kit.ts";
import { makeCall, makeRun, makeStep } from "../mock/runs.ts";
import { expect, test } from "./fixtures.ts";

const CALLS = 3000;

test.describe("runs: many calls", () => {
  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`a run of 3,000 calls shows the newest ones and earlier ones on request (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const run = makeRun(mock.state, { title: "Much work" });
      run.steps.push(makeStep(run, "planner"));
      mock.state.runs.list.unshift(run);
      const call = (_: unknown, n: number) =>
        makeCall("planner", n, "tool", "shell", { arguments: { command: `echo ${n}.` }, text: `${n}` });
      mock.state.runs.calls.set(run.id, Array.from({ length: CALLS }, call));
      await page.goto(`${mock.url}/runs/${run.id}`);
      const stream = page.getByRole("region", { name: "What Planner says and does" });
      const entries = stream.locator("ul > li");
      await stream.getByText(`echo ${CALLS - 1}.`).waitFor();
      await settled(page);
      const first = await entries.count();
      expect(first, "not all of them are drawn").toBeLessThanOrEqual(200);
      expect(await page.evaluate(() => document.querySelectorAll("main *").length)).toBeLessThan(12_000);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `run-long-${width}-${theme}`);
      const earlier = stream.getByRole("button", { name: /^Show \d+ earlier$/ });
      await earlier.focus();
      await page.keyboard.press("Enter");
      await until("earlier ones", async () => (await entries.count()) === first * 2);
      // Nothing is out of reach.
      for (let n = first * 2; n < CALLS; n += 200) {
        await earlier.focus();
        await page.keyboard.press("Enter");
        await until("more of them", async () => (await entries.count()) === Math.min(n + 200, CALLS));
      }
      await stream.getByText("echo 0.", { exact: false }).first().waitFor();
      expect(await earlier.count()).toBe(0);
    });
});
