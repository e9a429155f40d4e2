// An agent's page: its tabs by keyboard and address, and its history.
import type { Page } from "@playwright/test";
import { axe, drawn, settled, shot, tryAgain, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import type { Activity } from "../mock/schema.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

const lines = (page: Page) => page.getByRole("region", { name: "Activity" }).locator("ol > li");

test.describe("agents", () => {
  test("tabs open with arrow keys, set the address, and also open from older links", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
    await page.getByRole("tab", { name: "Overview" }).focus();
    for (const [name, app] of [
      ["Work", "work"],
      ["Sandbox", "sandbox"],
      ["Files", "files"],
      ["Brain", "brain"],
      ["Runtime", "runtime"],
      ["Activity", "activity"],
      ["Apps", "apps"],
    ]) {
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await until(`${name} to be in the address`, () => page.url().endsWith(`?app=${app}`));
      await page.getByRole("tab", { name, selected: true }).waitFor();
    }
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
    for (const [old, tab] of [
      ["?tab=hardening", "Sandbox"],
      ["?tab=details", "Overview"],
      ["?tab=brain", "Brain"],
      ["?app=nonsense", "Overview"],
    ]) {
      await page.goto(`${mock.url}/claws/${agent.id}${old}`);
      await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    }
  });

  test("activity shows real lines with exact times, filters in the address, and loads older lines on demand", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const commands = mock.state.operations.filter((one) => one.owner_id === agent.id).length;
    mock.state.said = new Map([
      [
        agent.id,
        Array.from({ length: 70 }, (_, n) => ({
          id: `e${n}`,
          source: "event",
          at: ago(5000 + n),
          what: "placement.fallback",
          data: { agentId: agent.id, reason: n % 2 ? "node_offline" : "node_paused" },
        })),
      ],
    ]);
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    await page.getByText("cargo test --workspace").first().waitFor();
    await page.getByText("the deadline of 600 s passed").waitFor();
    expect(await lines(page).first().locator("time").getAttribute("title")).toMatch(/\d{4}.*\d\d:\d\d:\d\d/);
    await until("a page of lines", async () => (await lines(page).count()) > 40);
    const first = await lines(page).count();
    await page.getByRole("button", { name: "Show older ones" }).click();
    await until("more lines", async () => (await lines(page).count()) > first);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "activity");
    for (const name of ["Events", "Changes"]) await page.getByRole("button", { name }).click();
    await until("the address to say so", () => page.url().includes("sources=operation"));
    await until("commands alone", async () => (await lines(page).count()) === commands);
    await page.reload();
    await until("the same after a reload", async () => (await lines(page).count()) === commands);
    // What was chosen here and typed elsewhere is still there after a look at another tab.
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await page.getByLabel("Command", { exact: true }).fill("cargo test --wor");
    await page.getByLabel("Run in").fill("crates/core");
    await page.getByRole("tab", { name: "Activity" }).click();
    await until("the same filter", async () => (await lines(page).count()) === commands);
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await until(
      "the half of a command",
      async () => (await page.getByLabel("Command", { exact: true }).inputValue()) === "cargo test --wor",
    );
    expect(await page.getByLabel("Run in").inputValue()).toBe("crates/core");
  });

  test("activity shows how each command ended and hides Roost's own programs and event names", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    const line = (text: string) => lines(page).filter({ hasText: text });
    const ends = {
      "ls /nope; exit 3": ["Exit 3", "failed"],
      "cargo bench": ["Timed out", "failed"],
      "cargo test --workspace": ["Done", "done"],
      "sleep 1000": ["Cancelled", "info"],
      "make release": ["Lost", "failed"],
      "Internal step": ["Ended", "idle"],
    };
    for (const [command, [word, colour]] of Object.entries(ends)) {
      const state = line(command).locator("span", { hasText: word }).last();
      await state.waitFor();
      expect(await state.locator("..").getAttribute("class"), command).toMatch(new RegExp(`text-${colour}`));
    }
    await line("Agent: read file").getByText("src/lib.rs", { exact: true }).waitFor();
    await line("Asked for approval: Open an issue about the flaky test").waitFor();
    for (const path of ["?app=activity", ""]) {
      await page.goto(`${mock.url}/claws/${agent.id}${path}`);
      await page.getByText("cargo test --workspace").first().waitFor();
      await drawn(page);
      const shown = await page.locator("main").innerText();
      expect(shown, path).not.toMatch(/python3|base64|agent\.|world\.|door\.|sb_|read_file|became/);
    }
  });

  test("activity skips pages that contain nothing to show", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const frame = (n: number): Activity => ({
      id: `f${n}`,
      source: "event",
      at: ago(0),
      what: "agent.reasoning.delta",
      data: { agentId: agent.id, delta: "Hm" },
    });
    mock.state.said = new Map([[agent.id, Array.from({ length: 120 }, (_, n) => frame(n))]]);
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByText("cargo test --workspace").waitFor();
    expect(await page.getByText("Nothing has happened").count()).toBe(0);
  });

  test("a new activity line does not move the text that a person reads and appears on request", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    const row = lines(page).nth(1);
    await row.waitFor();
    await settled(page);
    await row.hover();
    await page.getByText("order held").waitFor();
    const [before, text] = [await row.boundingBox(), await row.textContent()];
    mock.state.said = new Map([
      [
        agent.id,
        [
          {
            id: "new",
            source: "event",
            at: ago(0),
            what: "placement.fallback",
            data: { reason: "node_offline" },
          },
        ],
      ],
    ]);
    mock.hub.emit("agent.status", { agentId: agent.id, status: "working" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row.boundingBox()).toStrictEqual(before);
    expect((await row.textContent())!.slice(0, 12)).toBe(text!.slice(0, 12));
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByText("The sandbox was created on the gateway's own machine", { exact: false }).waitFor();
  });

  test("activity explains itself when it is empty, when it failed and when a viewer may not see it", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const path = `GET /api/claws/${agent.id}/activity`;
    mock.state.failNext.set(path, new Refusal(500, "internal", "The history failed"));
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    await page.getByText("The history failed").waitFor();
    await tryAgain(page, mock);
    await page.getByText("cargo test --workspace").first().waitFor();
    mock.state.operations = [];
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity&sources=operation`);
    await page.getByText("Nothing of this kind has happened").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await until("lines again", async () => (await lines(page).count()) > 0);
    mock.state.role = "viewer";
    await page.reload();
    await page.getByText("Only an Admin or Owner sees who changed what.").waitFor();
    expect(await page.getByRole("button", { name: "Changes" }).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
  });
});
