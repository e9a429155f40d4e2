// The changed files of a run without a repository, as its result.
import { axe, drawn, settled, shot, until } from "../kit.ts";
import { ago, newId } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeRun, makeStep } from "../mock/runs.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

/** A run that has ended. Its two steps worked in the sandbox of one agent, which has three snapshots. */
function changed({ state }: Mock, count = 3) {
  const run = makeRun(state, { status: "completed", started_at: ago(60), ended_at: ago(0) });
  const { id: owner_id } = agentNamed(state, "mason");
  const ids = state.snapshots.get(owner_id)!.map(({ snapshot }) => snapshot.id);
  const [newest, middle, oldest] = [ids[0], ids[1], ids[count - 1]];
  const place = { owner_kind: "claw" as const, owner_id, sandbox_id: newId(), node_id: "local" };
  const at = (seconds: number, snapshot_id: string) => ({ at: ago(seconds), snapshot_id });
  for (const [node, began, ended] of [
    ["planner", at(50, oldest), at(40, middle)],
    ["coder", at(30, middle), at(20, newest)],
  ] as const)
    run.steps.push(
      makeStep(run, node, {
        status: "done",
        started_at: began.at,
        ended_at: ended.at,
        files: { ...place, began, ended },
      }),
    );
  state.runs.list.unshift(run);
  state.runs.calls.set(run.id, []);
  return { run, place };
}

test.describe("runs: changed files", () => {
  test("files that are still on their machine are waited for, and are no error", async ({ visit }) => {
    const { mock, page } = await visit();
    const { run, place } = changed(mock);
    const [{ snapshot }] = mock.state.snapshots.get(place.owner_id)!;
    const detail = "This snapshot is only on its machine.";
    mock.state.failNext.set(
      `GET /api/claws/${place.owner_id}/snapshots/${snapshot.id}/diff`,
      new Refusal(409, "conflict", "This conflicts with the present state", { detail }),
    );
    await page.goto(`${mock.url}/runs/${run.id}`);
    const panel = page.getByRole("region", { name: "Changes", exact: true });
    await panel.getByRole("status").getByText(detail).waitFor();
    expect(await panel.getByRole("button", { name: "Try again" }).count()).toBe(0);
    mock.state.failNext.clear();
    await panel.getByText("3 added, 2 changed, 1 removed").waitFor();
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`a run without a repository shows its changed files with their lines (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { run } = changed(mock);
      await page.goto(`${mock.url}/runs/${run.id}`);
      const panel = page.getByRole("region", { name: "Changes", exact: true });
      await panel.getByText("3 added, 2 changed, 1 removed").waitFor();
      // The file that only the first step changed is part of the result.
      const file = panel.getByRole("button", { name: /src\/lib\.rs/ });
      await file.focus();
      await page.keyboard.press("Enter");
      await panel.getByText("2 lines added, 2 removed").waitFor();
      await settled(page);
      expect(await axe(page)).toStrictEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBeLessThanOrEqual(0);
      await panel.scrollIntoViewIfNeeded();
      await shot(page, `run-changed-${width}-${theme}`);
      await panel.getByRole("button", { name: "Hide changed files" }).click();
      await until("the files to go", async () => (await file.count()) === 0);
      await panel.getByRole("link", { name: "mason" }).click();
      await page.getByRole("region", { name: "Comparison" }).waitFor();
    });

  test("a run says when no file changed, and why files are not there", async ({ visit }) => {
    const { mock, page } = await visit();
    const { run, place } = changed(mock);
    const [planner, coder] = run.steps;
    const files = planner.files!;
    planner.files = { ...files, ended: files.began };
    const scribe = { ...place, owner_id: agentNamed(mock.state, "scribe").id };
    coder.files = { ...scribe, began: { at: ago(30), missing: "The machine was not connected." } };
    await page.goto(`${mock.url}/runs/${run.id}`);
    const panel = page.getByRole("region", { name: "Changes", exact: true });
    await panel.getByText("No file changed.").waitFor();
    await panel
      .getByText("The files before the run were not recorded. The machine was not connected.")
      .waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
  });
});
