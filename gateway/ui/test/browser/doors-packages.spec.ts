// Approvals that bring packages: all of them stand beside the request, and the gateway read them from the lock file.
import { axeBoth } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { makeRun } from "../mock/runs.ts";
import type { Door } from "../mock/schema.ts";
import type { State } from "../mock/state.ts";
import { act, cards, dialog, open } from "./doors-kit.ts";
import { expect, test } from "./fixtures.ts";

/** A run whose agent asks for the packages of a lock file. */
function asking(state: State, more: Partial<NonNullable<Door["packages"]>> = {}) {
  const run = makeRun(state, { status: "running" });
  state.runs.list.unshift(run);
  const door = makeDoor(state.claws[1], {
    action: "supplies.packages.add",
    target: "web/package-lock.json",
    summary: "From web/package-lock.json, add 1 package and change 2",
    address: "packages.example",
    params: { path: "web/package-lock.json", reason: "The page needs a calendar." },
    run_id: run.id,
    packages: {
      run_id: run.id,
      owner_kind: "claw",
      owner_id: state.claws[1].id,
      path: "web/package-lock.json",
      kind: "npm",
      sha256: "5626abf0".padEnd(64, "0"),
      bytes: 20_480,
      added: [{ name: "calendar", version: "1.2.0" }],
      changed: [
        { name: "react", from: "18.0.0", to: "18.3.1" },
        { name: "left-pad", from: "1.3.0", to: "1.3.0" },
      ],
      removed_count: 61,
      removed: [{ name: "moment", version: "2.0.0" }],
      left_out_count: 1,
      left_out: [{ name: "forked 1.0.0", why: "It does not come from the npm registry." }],
      ...more,
    },
  });
  state.doors.push(door);
  return door;
}

test.describe("doors that bring packages", () => {
  for (const width of [1280, 390])
    test(`all packages are read before they are approved (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 860 });
      asking(mock.state);
      await page.goto(`${mock.url}/approvals`);
      const card = cards(page).filter({ hasText: "Add packages" });
      const seen = card.getByRole("region", { name: "What is fetched" });
      await seen.getByText("1 new package, 2 changed, 61 removed").waitFor();
      await seen.getByText("has another hash than before").waitFor();
      await seen.getByText("and 60 more, removed").waitFor();
      await seen.getByText("It does not come from the npm registry.").waitFor();
      await card.getByText("Would be fetched from").waitFor();
      // No connection of the agent may be missing.
      expect(await card.getByText("is not connected to").count()).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await card.getByRole("button", { name: /^Approve/ }).click();
      await dialog(page).getByText("Roost fetches exactly these packages").waitFor();
      const whole = dialog(page).getByRole("list", { name: "Packages" });
      expect(await whole.getByRole("listitem").count()).toBe(6);
      expect(await axeBoth(page)).toStrictEqual([]);
      await act(page, "Approve").click();
      await open(page).getByRole("article").filter({ hasText: "Add packages" }).getByText("Done").waitFor();
    });

  test("a long list is folded on the card, and whole in the dialog", async ({ visit }) => {
    const { mock, page } = await visit();
    const added = Array.from({ length: 300 }, (_, at) => ({ name: `part-${at}`, version: "1.0.0" }));
    asking(mock.state, {
      added,
      changed: [],
      removed_count: 0,
      removed: [],
      left_out_count: 0,
      left_out: [],
    });
    await page.goto(`${mock.url}/approvals`);
    const card = cards(page).filter({ hasText: "Add packages" });
    const list = card.getByRole("list", { name: "Packages" });
    await card.getByText("300 new packages").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(8);
    await card.getByRole("button", { name: "Show all 300" }).click();
    expect(await list.getByRole("listitem").count()).toBe(300);
    await card.getByRole("button", { name: /^Deny/ }).click();
    await dialog(page).getByText("Roost fetches nothing and informs the agent.").waitFor();
    expect(await dialog(page).getByRole("list", { name: "Packages" }).getByRole("listitem").count()).toBe(
      300,
    );
    await act(page, "Deny").click();
    await open(page).getByText("Nothing was fetched.").waitFor();
  });

  test("a hostile name is shown letter by letter", async ({ visit }) => {
    const { mock, page } = await visit();
    asking(mock.state, { added: [{ name: "a\u202eb<b>x</b>", version: "1.0.0" }] });
    await page.goto(`${mock.url}/approvals`);
    const seen = cards(page).getByRole("region", { name: "What is fetched" });
    await seen.getByText("<b>x</b>").waitFor();
    expect(await seen.textContent()).not.toContain("\u202e");
  });
});
