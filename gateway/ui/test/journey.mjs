// The same journeys against a real gateway. ROOST_URL says where it is, ROOST_ONE_TIME is its Owner's one-time login.
// ROOST_JOIN is a command that joins a machine (it finds the line to run in JOIN_COMMAND); ROOST_SANDBOX=1 says that an engine is there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { axe, launch, runAll, shot, until, visitor } from "./browser-kit.mjs";

const base = process.env.ROOST_URL;
const oneTime = process.env.ROOST_ONE_TIME;
if (!base || !oneTime) {
  console.error(
    "Set ROOST_URL (http://127.0.0.1:7667) and ROOST_ONE_TIME (the content of the file first-login).",
  );
  process.exit(2);
}
const PASSWORD = process.env.ROOST_PASSWORD ?? "eleven grey geese went by";
const browser = await launch();
const { page, faults } = await visitor(browser);
const slow = { timeout: 120_000 };
let joined;

const clean = async (where) => {
  assert.deepEqual(await axe(page), [], `axe, ${where}`);
  assert.deepEqual(faults, [], `console, ${where}`);
  await shot(page, `real-${where}`);
};
const open = async (path, heading) => {
  await page.goto(base + path);
  await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
};
async function command(text) {
  await page.getByLabel("Command", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
  return page.getByRole("article", { name: text, exact: true });
}

const failed = await runAll({
  "the Owner signs in with the one-time login and chooses a password": async () => {
    await page.goto(base);
    await page.getByRole("heading", { name: "Where is the one-time login?" }).waitFor();
    await clean("first-run");
    await page.getByRole("textbox", { name: "One-time login" }).fill(oneTime);
    await page.keyboard.press("Enter");
    await page.getByLabel("New password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Fleet", exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await clean("fleet");
  },

  "supervision, quotas and account show what is there": async () => {
    await open("/operator", "Supervision");
    await page.getByRole("treegrid").waitFor();
    await clean("supervision");
    await open("/quotas", "Running sandboxes");
    await clean("quotas");
    await open("/account", "Sessions");
    await page.getByText("This one").waitFor();
    await clean("account");
  },

  "a machine is paired and appears by itself": async () => {
    if (!process.env.ROOST_JOIN)
      return console.log("      (ROOST_JOIN is not set: pairing up to the command only)");
    await open("/fleet?dialog=pair", "Pair a machine");
    await page.getByLabel("Name of the machine").fill("journey");
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for your machine…").waitFor();
    await page.getByRole("tab", { name: "roostd is installed" }).click();
    const line = await page
      .getByRole("tabpanel", { name: "roostd is installed" })
      .getByLabel("Command")
      .textContent();
    joined = spawn(process.env.ROOST_JOIN, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, JOIN_COMMAND: line },
    });
    await page.getByText(/^Connected/).waitFor(slow);
    await clean("paired");
    await page.getByRole("link", { name: "Open journey" }).click();
    await page.getByText("Online", { exact: true }).waitFor(slow);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("This machine keeps its promise").waitFor(slow);
    await clean("node");
    await page.getByRole("link", { name: "Fleet" }).first().click();
    await page.getByLabel("New sandboxes run on").selectOption({ label: "journey (Online)" });
  },

  "an agent is made, changed, and listed": async () => {
    await open("/agents?dialog=new", "New agent");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("traveller");
    await page.getByLabel("Role").fill("Walks the journey");
    await page.getByLabel("Make its sandbox right away").uncheck();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "traveller" }).waitFor();
    await clean("agent");
    await page.getByRole("button", { name: "Change the agent" }).click();
    await page.getByLabel("Role").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await until("the role to go", async () => (await page.getByText("Walks the journey").count()) === 0);
  },

  "its sandbox runs real commands": async () => {
    if (!process.env.ROOST_SANDBOX)
      return console.log("      (ROOST_SANDBOX is not set: no engine expected)");
    await page.getByRole("button", { name: "Make a sandbox" }).click();
    await page.getByLabel("Command", { exact: true }).waitFor(slow);
    const echo = await command("echo it works; id -u");
    await echo.getByText("Exit 0").waitFor(slow);
    assert.match(await echo.locator("pre").textContent(), /^it works\n[1-9]\d*\n$/);
    const many = await command("for i in $(seq 1 2000); do echo line $i; done");
    await many.getByText("Exit 0").waitFor(slow);
    assert.equal((await many.locator("pre").textContent()).trim().split("\n").length, 2000);
    const cat = await command("cat");
    await page.getByLabel("Input for the running command").fill("knock");
    await page.keyboard.press("Enter");
    await cat.getByText("knock").waitFor();
    await page.getByRole("button", { name: "End input" }).click();
    await cat.getByText("Exit 0").waitFor();
    const sleep = await command("sleep 1000");
    await sleep.getByRole("button", { name: "Cancel" }).click();
    await sleep.getByText("Cancelled").waitFor(slow);
    await clean("console");
    await page.getByRole("button", { name: "Shell" }).click();
    await page.locator(".xterm-rows").waitFor();
    await page.keyboard.type("echo $((6*7))-tty");
    await page.keyboard.press("Enter");
    await page.locator(".xterm-rows").getByText("42-tty").waitFor(slow);
    await page.getByRole("tab", { name: "Hardening" }).click();
    await page.getByText(/measures hold/).waitFor();
    await clean("hardening");
    await page.getByRole("button", { name: "Destroy sandbox" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Destroy sandbox" }).click();
    await page.getByRole("button", { name: "Make a sandbox" }).waitFor(slow);
  },

  "the agent is deleted; signing out ends the session": async () => {
    await page.getByRole("button", { name: "Delete the agent" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete agent" }).click();
    await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
    await open("/account", "Sessions");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Roost" }).waitFor();
    await clean("signed-out");
  },
});
joined?.kill();
await browser.close();
process.exit(failed === 0 ? 0 : 1);
