// The order of a run's page, what it says of a long journal, and how forks are told apart.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, choose, settled, shot } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeCall, makeRun, makeStep } from "../mock/runs.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const RESULT = Array.from({ length: 80 }, (_, n) => `* Line ${n} of the result.`).join("\n");

/** A run that has ended with a long result. */
function ended({ state }: Mock) {
  const run = makeRun(state, {
    title: "Mend the parser",
    status: "completed",
    outcome: "accepted",
    outcome_reason: "`TEST_PASS` of the step tester.",
    started_at: ago(60),
    ended_at: ago(1),
    result: { text: RESULT } as never,
  });
  for (const node of ["planner", "coder", "tester"])
    run.steps.push(makeStep(run, node, { status: "done", started_at: ago(50), ended_at: ago(20) }));
  state.runs.list.unshift(run);
  state.runs.calls.set(run.id, [
    makeCall("planner", 0, "tool", "shell", { arguments: { command: "ls" }, text: "src" }),
    makeCall("planner", 1, "tool", "shell", { text: "[too long to be shown here]" }),
  ]);
  return run;
}

const top = async (page: Page, name: string) =>
  (await page.getByRole("region", { name, exact: true }).boundingBox())!.y;

test.describe("the page of a run", () => {
  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`has the timeline on its first screen, while it works and afterwards (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const run = ended(mock);
      await page.goto(`${mock.url}/runs/${run.id}`);
      await page.getByRole("region", { name: "Timeline" }).waitFor();
      await settled(page);
      expect(await top(page, "Result")).toBeLessThan(await top(page, "Timeline"));
      const folded = page.getByRole("button", { name: "Show all 80 lines of the result" });
      await folded.waitFor();
      if (width > 390) await expect(page.getByRole("region", { name: "Timeline" })).toBeInViewport();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `run-page-${width}-${theme}`);
      await folded.click();
      await page.getByText("Line 79 of the result.").waitFor();
      // At work, nothing stands between the head and the timeline.
      Object.assign(run, { status: "running", outcome: null, ended_at: null, result: null });
      mock.hub.changed("run", run.id, 9);
      await page.getByRole("button", { name: "Pause" }).waitFor();
      const regions = page.locator("main > section, main > div section").first();
      await expect(regions).toHaveAttribute("aria-label", "Timeline");
      await shot(page, `run-page-at-work-${width}-${theme}`);
    });

  test("says which entries of a long journal are missing, and so does the exported file", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const run = ended(mock);
    await page.route("**/calls", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), left_out: 4321 } });
    });
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByText("4,321 older entries are not shown: only the newest 10,000 are read.").waitFor();
    await page.getByText(/1 entry is shown without text/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-left-out");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export the run as a file" }).click(),
    ]);
    const written = JSON.parse(readFileSync(await file.path(), "utf8")) as { incomplete: object; calls: [] };
    expect(written.calls).toHaveLength(2);
    expect(written.incomplete).toMatchObject({ entries_left_out: 4321, entries_without_text: 1 });
  });

  test("does not fork with an emptied field of instructions", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = ended(mock);
    const agent = mock.state.claws.find(({ id }) => id === run.steps[0]!.agent_id)!;
    agent.system_prompt = "You plan.";
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.locator("[data-run-head]").getByRole("button", { name: "Fork" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog.getByLabel("Begin again at"), { index: 0 });
    const field = dialog.getByLabel(/^Instructions of/);
    await expect(field).toHaveValue("You plan.");
    await field.fill("  ");
    await dialog.getByText("Write instructions, or keep those of the agent.").waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    const fork = dialog.getByRole("button", { name: "Fork", exact: true });
    expect(await fork.isDisabled()).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-fork-emptied");
    await dialog.getByRole("button", { name: "Keep those of the agent" }).click();
    await expect(field).toHaveValue("You plan.");
    await fork.click();
    await page.locator("[data-run-head]").getByText("Forked from another run").waitFor();
    expect(mock.state.forked).not.toHaveProperty("instructions");
  });

  for (const [theme, width] of [
    ["light", 1440],
    ["dark", 390],
  ] as const)
    test(`a fork has a badge in the list (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const run = ended(mock);
      mock.state.runs.list.unshift(
        makeRun(mock.state, { title: run.title, origin: { type: "fork" } as never, forked_from: run.id }),
      );
      await page.goto(`${mock.url}/runs`);
      const rows = page.getByRole("row").filter({ hasText: run.title });
      await rows.first().waitFor();
      await settled(page);
      expect(await rows.getByText("Fork", { exact: true }).filter({ visible: true }).count()).toBe(1);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `runs-fork-${width}-${theme}`);
    });
});
