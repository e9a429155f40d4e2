// One person's way through the whole product: a real gateway, a real machine, real sandboxes, a real browser.
// ROOST_TEST_BIN_DIR holds the built programs; gateway and machine are started here, on free ports, in a temporary folder.
// Every wait is for a condition. The limit only ends a run in which it never comes true, so it may be generous.
import assert from "node:assert/strict";
import { axe, choose, launch, runAll, shot, until, visitor } from "./kit.ts";
import { outsideTests } from "./journey-apps.mjs";
import { demonstrationTests, firstResultTests } from "./journey-first-result.mjs";
import { missionTests } from "./journey-missions.mjs";
import { teamTests } from "./journey-teams.mjs";
import { remove, startGateway, startNode } from "./real.mjs";

const bin = process.env.ROOST_TEST_BIN_DIR;
const image = process.env.ROOST_TEST_IMAGE ?? "roost-agent:tiny";
if (!bin) {
  console.error("Set ROOST_TEST_BIN_DIR to the folder of the built roost and roostd (target/debug).");
  process.exit(2);
}
const PASSWORD = "eleven grey geese went by";
const PATIENCE = Number(process.env.PATIENCE_S ?? 300) * 1000;
const gateway = await startGateway(bin, image);
const { url: base, oneTime } = gateway;
// Playwright would end this process at once; what was started and made must be taken down first.
const browser = await launch({ handleSIGINT: false, handleSIGTERM: false });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void browser.close());
const { context, page, faults } = await visitor(browser, { patience: PATIENCE });
let node;
let agent;

const clean = async (where, { at = page, seen = faults } = {}) => {
  assert.deepEqual(await axe(at), [], `axe, ${where}`);
  assert.deepEqual(seen, [], `console, ${where}`);
  await shot(at, `real-${where}`);
};
const calm = (at = page) =>
  until(
    "the page to be drawn",
    async () => (await at.locator("h1, h2").count()) > 0 && (await at.locator(".skeleton").count()) === 0,
    PATIENCE,
  );
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
  "the Owner says who they are, with the one-time login": async () => {
    await page.goto(base);
    await page.getByRole("heading", { name: "Where is the one-time login?" }).waitFor();
    await clean("first-run");
    await page.getByRole("textbox", { name: "One-time login" }).fill(oneTime);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await clean("home");
  },

  "supervision, quotas and account show what is there": async () => {
    await open("/operator", "Supervision");
    await page.getByRole("treegrid").waitFor();
    await clean("supervision");
    await open("/quotas", "Running sandboxes");
    await clean("quotas");
    await open("/account", "Sessions");
    await page.getByText("This session").waitFor();
    await clean("account");
  },

  "a machine is paired and appears by itself": async () => {
    await open("/fleet?dialog=pair", "Pair a machine");
    // The dialog puts the cursor where the name goes.
    await until("the name to have the focus", () =>
      page.getByLabel("Name of the machine").evaluate((field) => field === document.activeElement),
    );
    await page.keyboard.type("journey");
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for your machine…").waitFor();
    await page.getByRole("tab", { name: "roostd is installed" }).click();
    const line = await page
      .getByRole("tabpanel", { name: "roostd is installed" })
      .getByLabel("Command")
      .textContent();
    await clean("pairing");
    node = await startNode(bin, gateway.folder, line);
    await page.getByText(/^Connected/).waitFor();
    // A used code is of no use any more.
    await until("the command to go", async () => (await page.getByLabel("Command").count()) === 0);
    await clean("paired");
    await page.getByRole("link", { name: "Open journey" }).click();
    await page.getByText("Online", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("This machine passed the check").waitFor();
    await page.getByText(/^All \d{2,} checks passed/).waitFor();
    await clean("node");
    await page.getByRole("link", { name: "Fleet" }).first().click();
    const stored = page.waitForResponse(
      (answer) => answer.url().endsWith("/api/fleet/placement") && answer.request().method() === "PUT",
    );
    await choose(page.getByLabel("New sandboxes run on"), { label: "journey (Online)" });
    assert.equal((await stored).status(), 200);
  },

  "an agent is made, changed, and listed": async () => {
    await open("/agents?dialog=new", "New agent");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("traveller");
    await page.getByLabel("Role").fill("Walks the journey");
    await page.getByLabel("Make its sandbox right away").uncheck();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "traveller" }).waitFor();
    await clean("agent");
    const address = page.url();
    assert.match(address, /\/claws\/[0-9a-f-]{36}$/);
    agent = address.slice(-36);
    await page.goto(address.replace("/claws/", "/agents/"));
    await page.waitForURL(address);
    await page.getByRole("heading", { name: "traveller" }).waitFor();
    await page.getByRole("button", { name: "Change the agent" }).click();
    await page.getByLabel("Role").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await until("the role to go", async () => (await page.getByText("Walks the journey").count()) === 0);
  },

  ...demonstrationTests({ page, open, clean, calm }),
  ...outsideTests({ page, open, clean, agent: () => agent }),

  ...teamTests({ page, open, clean, calm, patience: PATIENCE }),
  ...firstResultTests({ page, open, clean, calm }),
  ...missionTests({ page, open, clean, calm, patience: PATIENCE }),

  "its sandbox runs real commands": async () => {
    await page.goto(`${base}/claws/${agent}`);
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await page.getByRole("button", { name: "Create sandbox" }).click();
    await page.getByLabel("Command", { exact: true }).waitFor();
    await page.getByRole("link", { name: "journey", exact: true }).waitFor();
    const echo = await command("echo it works; id -u");
    await echo.getByText("Exit 0").waitFor();
    assert.match(await echo.locator("pre").textContent(), /^it works\n[1-9]\d*\n$/);
    const many = await command("for i in $(seq 1 2000); do echo line $i; done");
    await many.getByText("Exit 0").waitFor();
    // The list of commands may tell of the end before the output is read.
    const lines = async () => (await many.locator("pre").textContent()).trim().split("\n").length;
    await until("all lines to be there", async () => (await lines()) === 2000, PATIENCE);
    const cat = await command("cat");
    await page.getByLabel("Input for the running command").fill("knock");
    await page.keyboard.press("Enter");
    await cat.getByText("knock").waitFor();
    await page.getByRole("button", { name: "End input" }).click();
    await cat.getByText("Exit 0").waitFor();
    const sleep = await command("sleep 1000");
    await sleep.getByRole("button", { name: "Cancel" }).click();
    await sleep.getByText("Cancelled", { exact: true }).waitFor();
    await clean("console");
    await page.getByRole("button", { name: "Shell" }).click();
    await page.locator(".xterm-rows").waitFor();
    await page.keyboard.type("echo $((6*7))-tty");
    await page.keyboard.press("Enter");
    await page.locator(".xterm-rows").getByText("42-tty").waitFor();
    await page.getByText(/^All \d{2,} checks passed/).waitFor();
    await clean("hardening");
  },

  "every page is whole in both themes, and on a phone": async () => {
    const { items } = await page.evaluate(() => fetch("/api/nodes").then((answer) => answer.json()));
    const pages = {
      fleet: "/fleet",
      node: `/fleet/${items[0].id}`,
      pair: "/fleet?dialog=pair",
      agents: "/agents",
      "new-agent": "/agents?dialog=new",
      agent: `/claws/${agent}`,
      sandbox: `/claws/${agent}?app=sandbox`,
      activity: `/claws/${agent}?app=activity`,
      apps: `/claws/${agent}?app=apps`,
      quotas: "/quotas",
      operator: "/operator",
      account: "/account",
      lost: "/no/such/page",
    };
    const storageState = await context.storageState();
    for (const theme of ["dark", "light"]) {
      for (const [width, label] of [
        [1280, "wide"],
        [360, "phone"],
      ]) {
        const other = await visitor(browser, { theme, width, storageState, patience: PATIENCE });
        for (const [name, path] of Object.entries(pages)) {
          await other.page.goto(base + path);
          await calm(other.page);
          await clean(`${name}-${label}-${theme}`, { at: other.page, seen: other.faults });
          const [scroll, client] = await other.page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          assert.ok(scroll <= client, `${name} ${label} scrolls sideways: ${scroll} > ${client}`);
        }
        await other.context.close();
      }
    }
  },

  "the sandbox is destroyed": async () => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Destroy sandbox" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Destroy sandbox" }).click();
    await page.getByRole("button", { name: "Create sandbox" }).waitFor();
  },

  "the agent is deleted; signing out ends the session": async () => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete the agent" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete agent" }).click();
    await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
    await open("/account", "Sessions");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Roost" }).waitFor();
    await clean("signed-out");
  },
});
await browser.close();
if (failed > 0) {
  console.log(`the gateway's last words:\n${gateway.words()}`);
  if (node) console.log(`the machine's last words:\n${node.words()}`);
}
await node?.leave();
await gateway.stop();
remove(gateway.folder);
process.exit(failed === 0 ? 0 : 1);
