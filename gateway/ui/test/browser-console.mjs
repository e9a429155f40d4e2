// The agent's sandbox and its console: making, running, input, cuts, ends.
import assert from "node:assert/strict";
import { axe, drawn, shot, until } from "./browser-kit.mjs";

const open = async ({ mock, page }, name = "mason") => {
  await page.goto(`${mock.url}/claws/${mock.state.claws.find((one) => one.name === name).id}?app=sandbox`);
  await page.getByLabel("Command").waitFor();
};
const type = async (page, text) => {
  await page.getByLabel("Command", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};
const run = (page, name) => page.getByRole("article", { name, exact: true });

export const consoleTests = (scene) => ({
  "create an agent, its sandbox, run a command": () =>
    scene({ full: false }, async ({ mock, page }) => {
      const made = mock.hold("POST /api/claws/:id/sandbox");
      await page.goto(`${mock.url}/agents`);
      await page.getByRole("button", { name: "New agent" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("builder");
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.getByText("Creating the sandbox").waitFor();
      await shot(page, "sandbox-making");
      made();
      await type(page, "echo it works");
      await run(page, "echo it works").getByText("Exit 0", { exact: true }).waitFor();
      assert.match(await run(page, "echo it works").textContent(), /it works/);
    }),

  "a fallback of the placement is said, with its reason": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.placement = { target: "node", node_id: mock.state.nodes[2].id };
      await page.goto(`${mock.url}/claws/${mock.state.claws[2].id}?app=sandbox`);
      await page.getByRole("button", { name: "Create sandbox" }).click();
      await page.getByText("Not where you wanted it.").waitFor();
      await page.getByText(/instead, because it is offline/).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "placement-fallback");
    }),

  "ends are told apart: zero, not zero, timed out, cancelled, lost": () =>
    scene({}, async (at) => {
      const { page } = at;
      await open(at);
      await type(page, "cargo test");
      await run(page, "cargo test").getByText("Exit 0", { exact: true }).waitFor();
      await type(page, "exit 3");
      await run(page, "exit 3").getByText("Exit 3", { exact: true }).waitFor();
      await type(page, "vanish");
      await run(page, "vanish").getByText("Lost", { exact: true }).waitFor();
      await type(page, "sleep 900");
      await run(page, "sleep 900").getByText("Timed out", { exact: true }).waitFor();
      await type(page, "sleep 1000");
      await run(page, "sleep 1000").getByRole("button", { name: "Cancel" }).click();
      await run(page, "sleep 1000").getByText("Cancelled", { exact: true }).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "console-ends");
    }),

  "input reaches the running command, and its end ends it": () =>
    scene({}, async (at) => {
      const { page } = at;
      await open(at);
      await type(page, "cat");
      await page.getByLabel("Input for the running command").fill("knock knock");
      await page.keyboard.press("Enter");
      await run(page, "cat").getByText("knock knock").waitFor();
      await page.getByRole("button", { name: "End input" }).click();
      await run(page, "cat").getByText("Exit 0", { exact: true }).waitFor();
    }),

  "a cut in the middle of output loses and repeats nothing": () =>
    scene({}, async (at) => {
      const { mock, page } = at;
      await open(at);
      await type(page, "count");
      await run(page, "count").getByText("line 6", { exact: false }).waitFor();
      const [exec] = mock.state.execs.values();
      exec.connections.forEach((response) => response.destroy());
      await run(page, "count").getByText("Exit 0", { exact: true }).waitFor();
      const lines = (await run(page, "count").locator("pre").textContent()).trim().split("\n");
      assert.deepEqual(
        lines,
        Array.from({ length: 30 }, (_, index) => `line ${index + 1}`),
      );
    }),

  "a reload finds the running command again, whole": () =>
    scene({}, async (at) => {
      const { page } = at;
      await open(at);
      await type(page, "count");
      await run(page, "count").getByText("line 3", { exact: false }).waitFor();
      await page.reload();
      await run(page, "count").getByText("Exit 0", { exact: true }).waitFor();
      const lines = (await run(page, "count").locator("pre").textContent()).trim().split("\n");
      assert.equal(lines.length, 30);
    }),

  "reading above is not disturbed by output below": () =>
    scene({}, async (at) => {
      const { page } = at;
      await open(at);
      for (const round of [1, 2]) {
        await type(page, "count");
        await until(
          `count ${round}`,
          async () => (await page.getByText("Exit 0", { exact: true }).count()) === round,
        );
      }
      await type(page, "count");
      const log = page.getByRole("log");
      await log.evaluate((element) => (element.scrollTop = 40));
      await page.getByRole("button", { name: "Jump to latest" }).waitFor();
      await until(
        "the third to end",
        async () => (await page.getByText("Exit 0", { exact: true }).count()) === 3,
      );
      assert.equal(await log.evaluate((element) => element.scrollTop), 40);
      await page.getByRole("button", { name: "Jump to latest" }).click();
    }),

  "a shell in a terminal: typing, theme, the way out": () =>
    scene({}, async (at) => {
      const { mock, page } = at;
      await open(at);
      await page.getByRole("button", { name: "Shell" }).click();
      await page.locator(".xterm-rows").getByText("agent@sandbox").waitFor();
      await page.keyboard.type("echo through the tty");
      await page.keyboard.press("Enter");
      await until(
        "the echo",
        async () => (await page.locator(".xterm-rows").textContent()).split("through the tty").length > 2,
      );
      await page.getByRole("button", { name: /^Theme/ }).click();
      await shot(page, "shell-light");
      await page.locator(".xterm-screen").click();
      await page.keyboard.press("Control+Shift+Period");
      const [exec] = mock.state.execs.values();
      exec.finish("done", 0);
      await page.getByText("The shell has ended").waitFor();
    }),

  "a lost sandbox is said to be lost, and replaced": () =>
    scene({}, async (at) => {
      const { mock, page } = at;
      await open(at);
      const claw = mock.state.claws[1];
      const sandbox = mock.state.sandboxes.get(claw.id);
      sandbox.state = "lost";
      claw.sandbox.state = "lost";
      claw.version += 1;
      mock.hub.changed("claw", claw.id, claw.version);
      mock.hub.changed("sandbox", sandbox.id, 2);
      await page.getByText("This sandbox is lost").waitFor();
      await shot(page, "sandbox-lost");
      await page.getByRole("button", { name: "Create new sandbox" }).click();
      await until("the console to work again", () => page.getByLabel("Command", { exact: true }).isEnabled());
    }),

  "a member of a team that shares a sandbox is led there": () =>
    scene({}, async ({ mock, page }) => {
      const { state } = mock;
      const [mason, lookout] = ["mason", "lookout"].map((name) =>
        state.claws.find((one) => one.name === name),
      );
      state.teams.list[0].workbench_agent_id = mason.id;
      await page.goto(`${mock.url}/claws/${lookout.id}?app=sandbox`);
      await page.getByRole("heading", { name: "This agent works in its team's sandbox" }).waitFor();
      await drawn(page);
      assert.equal(await page.getByRole("button", { name: "Create sandbox" }).count(), 0);
      assert.deepEqual(await axe(page), []);
      await shot(page, "team-sandbox");
      await page.getByRole("link", { name: "Open the sandbox of mason" }).click();
      await page.getByRole("heading", { name: "mason" }).waitFor();
      await page.getByLabel("Command", { exact: true }).waitFor();
      assert.equal(await page.getByText("In its team, this agent works").count(), 0);
      // One that has a sandbox of its own is told that its team uses another.
      const scribe = state.claws.find((one) => one.name === "scribe");
      await page.goto(`${mock.url}/claws/${scribe.id}?app=sandbox`);
      await page.getByText("In its team, this agent works in the sandbox of mason.").waitFor();
      // Out of the team, it is offered one of its own.
      state.teams.list[0].workbench_agent_id = null;
      await page.goto(`${mock.url}/claws/${lookout.id}?app=sandbox`);
      await page.getByRole("button", { name: "Create sandbox" }).waitFor();
    }),

  "deleting for good wants the name typed": () =>
    scene({}, async (at) => {
      const { page } = at;
      await open(at);
      await page.getByRole("button", { name: "Delete the agent" }).click();
      await page.getByLabel("Destroy everything it has, for good").check();
      const act = page.getByRole("button", { name: "Delete agent" });
      assert.ok(await act.isDisabled());
      await page.getByLabel("Type mason to confirm").fill("mason");
      await act.click();
      await page.getByRole("heading", { name: "Agents" }).waitFor();
      await until(
        "mason to be gone",
        async () => (await page.getByRole("link", { name: "mason" }).count()) === 0,
      );
    }),
});
