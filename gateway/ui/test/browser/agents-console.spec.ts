// The agent's sandbox and its console: making, running, input, cuts, ends.
import type { Page } from "@playwright/test";
import { axe, shot, until } from "../kit.ts";
import { makeExec } from "../mock/exec.ts";
import { agentNamed, expect, test, type Visit } from "./fixtures.ts";

const open = async ({ mock, page }: Visit, name = "mason") => {
  await page.goto(`${mock.url}/claws/${agentNamed(mock.state, name).id}?app=sandbox`);
  await page.getByLabel("Command").waitFor();
};

const type = async (page: Page, text: string) => {
  await page.getByLabel("Command", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
};

const run = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test.describe("agents: console", () => {
  test("a new agent gets a sandbox and runs a command", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    const made = mock.hold("POST /api/claws/{id}/sandbox");
    await page.goto(`${mock.url}/agents`);
    await page.getByRole("button", { name: "New agent" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("builder");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByText("Creating the sandbox").waitFor();
    await shot(page, "sandbox-making");
    made();
    await type(page, "echo it works");
    await run(page, "echo it works").getByText("Exit 0", { exact: true }).waitFor();
    expect(await run(page, "echo it works").textContent()).toMatch(/it works/);
  });

  test("the console gives the reason when a sandbox starts on another machine", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.placement = { target: "node", node_id: mock.state.nodes[2].id };
    await page.goto(`${mock.url}/claws/${mock.state.claws[2].id}?app=sandbox`);
    await page.getByRole("button", { name: "Create sandbox" }).click();
    await page.getByText("Not where you wanted it.").waitFor();
    await page.getByText(/instead, because it is offline/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "placement-fallback");
  });

  test("the console distinguishes exit zero, other exits, timeouts, cancelled and lost commands", async ({
    visit,
  }) => {
    const at = await visit();
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
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "console-ends");
  });

  test("input reaches the running command and the end of input ends it", async ({ visit }) => {
    const at = await visit();
    const { page } = at;
    await open(at);
    await type(page, "cat");
    await page.getByLabel("Input for the running command").fill("knock knock");
    await page.keyboard.press("Enter");
    await run(page, "cat").getByText("knock knock").waitFor();
    await page.getByRole("button", { name: "End input" }).click();
    await run(page, "cat").getByText("Exit 0", { exact: true }).waitFor();
  });

  test("output is neither lost nor repeated when the stream is cut", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    await open(at);
    await type(page, "count");
    await run(page, "count").getByText("line 6", { exact: false }).waitFor();
    const [exec] = mock.state.execs.values();
    exec.connections.forEach((response) => response.destroy());
    await run(page, "count").getByText("Exit 0", { exact: true }).waitFor();
    const lines = (await run(page, "count").locator("pre").textContent())!.trim().split("\n");
    expect(lines).toStrictEqual(Array.from({ length: 30 }, (_, index) => `line ${index + 1}`));
  });

  test("a running command is shown whole after a reload", async ({ visit }) => {
    const at = await visit();
    const { page } = at;
    await open(at);
    await type(page, "count");
    await run(page, "count").getByText("line 3", { exact: false }).waitFor();
    await page.reload();
    await run(page, "count").getByText("Exit 0", { exact: true }).waitFor();
    const lines = (await run(page, "count").locator("pre").textContent())!.trim().split("\n");
    expect(lines.length).toBe(30);
  });

  test("the scroll position stays when output arrives below", async ({ visit }) => {
    const at = await visit();
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
    expect(await log.evaluate((element) => element.scrollTop)).toBe(40);
    await page.getByRole("button", { name: "Jump to latest" }).click();
  });

  test("a shell runs in a terminal that takes typing, follows the theme and can be left", async ({
    visit,
  }) => {
    const at = await visit();
    const { mock, page } = at;
    await open(at);
    await page.getByRole("button", { name: "Shell", exact: true }).click();
    await page.locator(".xterm-rows").getByText("agent@sandbox").waitFor();
    await page.keyboard.type("echo through the tty");
    await page.keyboard.press("Enter");
    await until(
      "the echo",
      async () => (await page.locator(".xterm-rows").textContent())!.split("through the tty").length > 2,
    );
    await page.getByRole("button", { name: /^Theme/ }).click();
    await shot(page, "shell-light");
    await page.locator(".xterm-screen").click();
    await page.keyboard.press("Control+Shift+Period");
    const [exec] = mock.state.execs.values();
    exec.finish("done", 0);
    await page.getByText("The shell has ended").waitFor();
  });

  test("a command and its output are there in another tab, and end there with Cancel", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    await open(at);
    await type(page, "exit 3");
    await run(page, "exit 3").getByText("Exit 3", { exact: true }).waitFor();
    await type(page, "sleep 1000");
    await run(page, "sleep 1000").getByText("Running", { exact: true }).waitFor();
    const other = await page.context().newPage();
    await page.close();
    await open({ ...at, page: other });
    await run(other, "exit 3").getByText("Exit 3", { exact: true }).waitFor();
    await run(other, "exit 3").getByText("You", { exact: true }).waitFor();
    await run(other, "sleep 1000").getByRole("button", { name: "Cancel" }).click();
    await run(other, "sleep 1000").getByText("Cancelled", { exact: true }).waitFor();
    await type(other, "sleep 1000");
    await until("two of them", async () => (await run(other, "sleep 1000").count()) === 2);
    await run(other, "sleep 1000").getByText("Running", { exact: true }).waitFor();
    await other.getByLabel("Input for the running command").press("Control+c");
    await until(
      "both to be cancelled",
      async () => (await other.getByText("Cancelled", { exact: true }).count()) === 2,
    );
    await other.getByRole("button", { name: "Failed" }).click();
    await until("only the failed one", async () => (await other.getByRole("article").count()) === 1);
    await run(other, "exit 3").waitFor();
    expect(await axe(other)).toStrictEqual([]);
    expect([...mock.state.execs.values()].filter(({ exit }) => exit?.state === "cancelled").length).toBe(2);
  });

  test("an agent's command shows the agent and its own words, and a person cancels it", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    const agent = agentNamed(mock.state, "mason");
    const argv = ["python3", "-I", "-S", "-c", "import subprocess", "sleep 1000"];
    const { id, name } = agent;
    const exec = makeExec(id, argv, null, { agent: { id, name }, tool: "shell", command: "make test" });
    mock.state.execs.set(exec.id, exec);
    exec.say("compiling\n");
    await open(at);
    await run(page, "make test").getByRole("link", { name: "mason" }).waitFor();
    await run(page, "make test").getByText("compiling").waitFor();
    // What is typed is a command, and no input of the agent's command.
    await type(page, "echo mine");
    await run(page, "echo mine").getByText("Exit 0", { exact: true }).waitFor();
    await run(page, "make test").getByRole("button", { name: "Cancel" }).click();
    await run(page, "make test").getByText("Cancelled", { exact: true }).waitFor();
    await shot(page, "console-agents-command");
  });

  test("an output looks as in a terminal, and text is found in it", async ({ visit }) => {
    const at = await visit();
    const { page } = at;
    await open(at);
    await type(page, "colours");
    const pre = run(page, "colours").locator("pre");
    await pre.waitFor();
    await until("the whole output", async () => (await pre.textContent())!.trim().endsWith("TWO"));
    expect((await pre.textContent())!.trim()).toBe("error: orange\nDone 100%\none\nTWO");
    expect(await pre.locator(".text-failed").first().textContent()).toContain("error");
    await run(page, "colours").getByRole("button", { name: "Find in this output" }).click();
    await page.getByRole("textbox", { name: "Find in this output" }).fill("o");
    await page.getByText("1 of 5", { exact: true }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "console-colours");
    const saved = page.waitForEvent("download");
    await run(page, "colours").getByRole("button", { name: "Download the output" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^command-.*\.txt$/);
  });

  test("a shell fills the screen at the press of a button and returns", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    await page.goto(`${mock.url}/claws/${agentNamed(mock.state, "mason").id}?app=sandbox&shell=new`);
    await page.locator(".xterm").waitFor();
    const full = () => page.evaluate(() => document.fullscreenElement?.querySelector(".xterm") !== null);
    const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
    expect(await isFull()).toBe(false);
    await page.getByRole("button", { name: "Full screen" }).focus();
    await page.keyboard.press("Enter");
    const leave = page.getByRole("button", { name: "Leave full screen" });
    await leave.waitFor();
    expect(await full(), "the terminal is in it").toBe(true);
    await until("the terminal to fill it", async () => {
      const [box, size] = [await page.locator(".xterm").boundingBox(), page.viewportSize()];
      return box !== null && size !== null && box.height > size.height * 0.8;
    });
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "shell-full");
    await leave.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Full screen", exact: true }).waitFor();
    expect(await isFull()).toBe(false);
  });

  test("a shell has an address that opens it after a reload, beside a second one", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    await open(at);
    await page.getByRole("button", { name: "Shell", exact: true }).click();
    await page.locator(".xterm-rows").getByText("agent@sandbox").waitFor();
    await page.keyboard.type("echo kept");
    await page.keyboard.press("Enter");
    const rows = page.locator(".xterm-rows");
    await until("the echo", async () => (await rows.textContent())!.split("kept").length > 2);
    const [exec] = mock.state.execs.values();
    expect(new URL(page.url()).searchParams.get("shell")).toBe(exec.id);
    await page.reload();
    await until("it again", async () => (await rows.textContent())!.split("kept").length > 2);
    expect(mock.state.execs.size).toBe(1);
    await page.locator(".xterm-screen").click();
    await page.keyboard.type("echo more");
    await until("the typing", async () => (await rows.textContent())!.includes("echo more"));
    await page.getByRole("group", { name: "Shells" }).getByRole("button", { name: "Shell 1" }).waitFor();
    await page.getByRole("button", { name: "New shell" }).first().click();
    await page.getByRole("group", { name: "Shells" }).getByRole("button", { name: "Shell 2" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "shells");
    await page.getByRole("button", { name: "End shell" }).click();
    await page.getByText("The shell was ended").waitFor();
  });

  test("a lost sandbox is reported and replaced", async ({ visit }) => {
    const at = await visit();
    const { mock, page } = at;
    await open(at);
    const claw = mock.state.claws[1];
    const sandbox = mock.state.sandboxes.get(claw.id);
    sandbox!.state = "lost";
    claw.sandbox!.state = "lost";
    claw.version += 1;
    mock.hub.changed("claw", claw.id, claw.version);
    mock.hub.changed("sandbox", sandbox!.id, 2);
    await page.getByText("This sandbox is lost").waitFor();
    await shot(page, "sandbox-lost");
    await page.getByRole("button", { name: "Create new sandbox" }).click();
    await until("the console to work again", () => page.getByLabel("Command", { exact: true }).isEnabled());
  });

  test("a permanent deletion needs the typed name", async ({ visit }) => {
    const at = await visit();
    const { page } = at;
    await open(at);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete the agent" }).click();
    await page.getByLabel("Destroy everything it has, for good").check();
    const act = page.getByRole("button", { name: "Delete agent" });
    expect(await act.isDisabled()).toBeTruthy();
    await page.getByLabel("Type mason to confirm").fill("mason");
    await act.click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await until(
      "mason to be gone",
      async () => (await page.getByRole("link", { name: "mason" }).count()) === 0,
    );
  });
});
