// An agent's page: its tabs by keyboard and address, and its history.
import assert from "node:assert/strict";
import { axe, settled, shot, tryAgain, until } from "./browser-kit.mjs";
import { Refusal } from "./mock/server.mjs";
import { ago } from "./mock/state.mjs";

const lines = (page) => page.getByRole("region", { name: "Activity" }).locator("ol > li");

export const agentTests = (scene) => ({
  "an agent's tabs: by arrow keys, in the address, and where older links led": () =>
    scene({}, async ({ mock, page }) => {
      const agent = mock.state.claws.find((claw) => claw.name === "mason");
      await page.goto(`${mock.url}/claws/${agent.id}`);
      await page.getByRole("heading", { name: "Lately" }).waitFor();
      await page.getByRole("tab", { name: "Overview" }).focus();
      for (const [name, app] of [
        ["Sandbox", "sandbox"],
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
    }),

  "activity: real lines, filtered in the address, exact times, older ones on demand": () =>
    scene({}, async ({ mock, page }) => {
      const agent = mock.state.claws.find((claw) => claw.name === "mason");
      mock.state.said = new Map([
        [
          agent.id,
          Array.from({ length: 70 }, (_, n) => ({
            id: `e${n}`,
            source: "event",
            at: ago(5000 + n),
            what: "agent.status",
            data: { agentId: agent.id, status: n % 2 ? "idle" : "working" },
          })),
        ],
      ]);
      await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
      await page.getByText("cargo test --workspace").first().waitFor();
      await page.getByText("The deadline of 10 min passed").waitFor();
      assert.match(await lines(page).first().locator("time").getAttribute("title"), /\d{4}.*\d\d:\d\d:\d\d/);
      await until("a page of lines", async () => (await lines(page).count()) === 50);
      await page.getByRole("button", { name: "Show older ones" }).click();
      await until("more lines", async () => (await lines(page).count()) > 50);
      assert.deepEqual(await axe(page), []);
      await shot(page, "activity");
      for (const name of ["What was said of it", "Who changed it"])
        await page.getByRole("button", { name }).click();
      await until("the address to say so", () => page.url().includes("sources=operation"));
      await until("commands alone", async () => (await lines(page).count()) === 2);
      await page.reload();
      await until("the same after a reload", async () => (await lines(page).count()) === 2);
      // What was chosen here and typed elsewhere is still there after a look at another tab.
      await page.getByRole("tab", { name: "Sandbox" }).click();
      await page.getByLabel("Command", { exact: true }).fill("cargo test --wor");
      await page.getByLabel("Run in").fill("crates/core");
      await page.getByRole("tab", { name: "Activity" }).click();
      await until("the same filter", async () => (await lines(page).count()) === 2);
      await page.getByRole("tab", { name: "Sandbox" }).click();
      await until(
        "the half of a command",
        async () => (await page.getByLabel("Command", { exact: true }).inputValue()) === "cargo test --wor",
      );
      assert.equal(await page.getByLabel("Run in").inputValue(), "crates/core");
    }),

  "activity: a new line does not move what is read, and comes when asked": () =>
    scene({}, async ({ mock, page }) => {
      const agent = mock.state.claws.find((claw) => claw.name === "mason");
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
      assert.deepEqual(await row.boundingBox(), before);
      assert.equal((await row.textContent()).slice(0, 12), text.slice(0, 12));
      await page.getByRole("button", { name: "1 new" }).click();
      await page.getByText("its sandbox was made on the gateway's own machine", { exact: false }).waitFor();
    }),

  "activity: empty, failed, and what a viewer is not shown": () =>
    scene({}, async ({ mock, page }) => {
      const agent = mock.state.claws.find((claw) => claw.name === "mason");
      const path = `GET /api/claws/${agent.id}/activity`;
      mock.state.failNext.set(path, new Refusal(500, "internal", "The history failed"));
      await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
      await page.getByText("The history failed").waitFor();
      await tryAgain(page, mock);
      await page.getByText("cargo test --workspace").first().waitFor();
      mock.state.operations = [];
      await page.goto(`${mock.url}/claws/${agent.id}?app=activity&sources=operation`);
      await page.getByText("Nothing happened yet").waitFor();
      await page.getByRole("button", { name: "Show everything" }).click();
      await until("lines again", async () => (await lines(page).count()) > 0);
      mock.state.role = "viewer";
      await page.reload();
      await page.getByText(/shown to those who may read the audit log/).waitFor();
      assert.equal(await page.getByRole("button", { name: "Who changed it" }).count(), 0);
      assert.deepEqual(await axe(page), []);
    }),
});
