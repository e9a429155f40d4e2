// The page against the mock gateway, in a real Chromium: empty, loading, live, error and offline states; both themes; keyboard only.
import assert from "node:assert/strict";
import {
  axe,
  drawn,
  hasFocus,
  launch,
  runAll,
  settled,
  shot,
  tryAgain,
  uncovered,
  visitor,
} from "./browser-kit.mjs";
import { connectionTests } from "./browser-connections.mjs";
import { consoleTests } from "./browser-console.mjs";
import { brainTests } from "./browser-brain.mjs";
import { hostileTests } from "./browser-hostile.mjs";
import { appTests } from "./browser-apps.mjs";
import { agentTests } from "./browser-agent.mjs";
import { deploymentTests } from "./browser-deployment.mjs";
import { doorTests } from "./browser-doors.mjs";
import { doorListTests } from "./browser-doors-list.mjs";
import { fleetTests } from "./browser-fleet.mjs";
import { identityTests } from "./browser-identity.mjs";
import { liveTests } from "./browser-live.mjs";
import { machineTests } from "./browser-machine.mjs";
import { markdownTests } from "./browser-markdown.mjs";
import { noticeTests } from "./browser-notices.mjs";
import { operatorTests } from "./browser-operator.mjs";
import { pasteTests } from "./browser-paste.mjs";
import { peopleTests } from "./browser-people.mjs";
import { meshTests } from "./browser-mesh.mjs";
import { modelTests } from "./browser-models.mjs";
import { repoTests } from "./browser-repos.mjs";
import { compareTests } from "./browser-compare.mjs";
import { runTests } from "./browser-runs.mjs";
import { runtimeTests } from "./browser-runtime.mjs";
import { skillTests } from "./browser-skills.mjs";
import { teamTests } from "./browser-teams.mjs";
import { templateTests } from "./browser-templates.mjs";
import { settingsTests } from "./browser-settings.mjs";
import { shellTests } from "./browser-shell.mjs";
import { stateTests } from "./browser-states.mjs";
import { tabTests } from "./browser-tabs.mjs";
import { pagesOf } from "./pages.mjs";
import { startMock, Refusal } from "./mock/server.mjs";

const browser = await launch();

/** Runs a test with a mock and a visitor of its own; afterwards the console must be clean. */
export async function scene(seed, test) {
  const { theme, width, height, signedIn = true, ...state } = seed;
  const mock = await startMock(state);
  const { context, page, faults } = await visitor(browser, { theme, width, height });
  try {
    if (signedIn) {
      await page.goto(`${mock.url}/sign-in`);
      await page.getByLabel("E-mail").fill(mock.state.user.email);
      await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
    }
    await test({ mock, page, context });
    assert.deepEqual(faults, [], "the console must be clean");
  } finally {
    await context.close();
    await mock.close();
  }
}

const both = (name, test) =>
  Object.fromEntries(["dark", "light"].map((theme) => [`${name} (${theme})`, () => test(theme)]));

const tests = {
  ...identityTests(scene),

  ...both("every page passes axe and has no sideways scroll", async (theme) => {
    for (const [width, label] of [
      [1280, "wide"],
      [360, "phone"],
    ]) {
      await scene({ theme, width, height: 800, waiting: true }, async ({ mock, page }) => {
        for (const [name, path] of Object.entries(pagesOf(mock.state))) {
          await page.goto(mock.url + path);
          await drawn(page, path);
          assert.deepEqual(await axe(page), [], `${name} ${label}`);
          const [scroll, client] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          assert.ok(scroll <= client, `${name} ${label} scrolls sideways: ${scroll} > ${client}`);
          assert.match(await page.title(), /Roost$/);
          await shot(page, `${name}-${label}-${theme}`);
        }
      });
    }
  }),

  "a failed panel says what failed, with the request id, and can be tried again": () =>
    scene({}, async ({ mock, page }) => {
      const path = `GET /api/nodes/${mock.state.nodes[0].id}/tools`;
      mock.state.failNext.set(path, new Refusal(500, "internal", "Something failed inside the gateway"));
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      await page.getByText("Something failed inside the gateway").waitFor();
      await page.getByText(/^req-\d+$/).waitFor();
      await page.getByRole("heading", { name: "Operations" }).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "panel-failed");
      await tryAgain(page, mock);
      await page.getByText("docker-compose").waitFor();
    }),

  "loading shows a skeleton and the chrome at once": () =>
    scene({}, async ({ mock, page }) => {
      const answer = mock.hold("GET /api/claws");
      // A new visit: within one the list may be known already, because notifications are made from it.
      await page.goto(`${mock.url}/agents`);
      await page.getByRole("link", { name: "Agents" }).first().waitFor();
      await page.getByText("Loading agents").waitFor({ state: "attached" });
      answer();
      await page.getByRole("link", { name: "mason" }).waitFor();
    }),

  "keyboard only: from the fleet to a new agent": () =>
    scene({ full: false }, async ({ page }) => {
      await settled(page);
      await page.keyboard.press("g");
      await page.keyboard.press("a");
      await page.getByRole("heading", { name: "No agents yet" }).waitFor();
      const reach = async (name) => {
        for (let step = 0; step < 40; step += 1) {
          await page.keyboard.press("Tab");
          if ((await page.evaluate(() => document.activeElement.textContent)) === name) return;
        }
        assert.fail(`${name} cannot be reached by Tab`);
      };
      await reach("New agent");
      await page.keyboard.press("Enter");
      await hasFocus(page.getByRole("textbox", { name: "Name", exact: true }));
      await page.keyboard.type("typist");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "typist" }).waitFor();
      await page.getByLabel("Command").waitFor();
      await uncovered(page);
      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
      await page.keyboard.press("Escape");
    }),

  "a refused field is marked at the field; the quota says what to do": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/agents?dialog=new`);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("mason");
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.getByText("Another agent has this name").waitFor();
      await hasFocus(page.getByRole("textbox", { name: "Name", exact: true }));
      assert.equal(await page.getByRole("dialog").getByRole("alert").count(), 0, "said once, at the field");
      mock.state.quota.agents = 3;
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("fourth");
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.getByRole("dialog").getByText("Delete an agent to make room.").waitFor();
      // The same when an agent is renamed.
      await page.goto(`${mock.url}/claws/${mock.state.claws[0].id}`);
      await page.getByRole("button", { name: "Change the agent" }).click();
      const name = page.getByRole("textbox", { name: "Name", exact: true });
      await hasFocus(name);
      await name.fill("mason");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Another agent has this name").waitFor();
      assert.equal(await name.getAttribute("aria-invalid"), "true");
      await hasFocus(name);
      assert.deepEqual(await axe(page), []);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Delete the agent" }).click();
      await page.getByText("The agent is removed. Its history is kept.").waitFor();
    }),

  "a viewer is offered nothing that a viewer may not do": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.role = "viewer";
      mock.state.operator = false;
      const offers = {
        "/fleet": "Pair a machine",
        "/agents": "New agent",
        [`/fleet/${mock.state.nodes[0].id}`]: "Drain",
        [`/claws/${mock.state.claws[1].id}?app=sandbox`]: "Destroy sandbox",
      };
      for (const [path, name] of Object.entries(offers)) {
        await page.goto(mock.url + path);
        await drawn(page, path);
        assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
      }
      assert.equal(await page.getByLabel("Command", { exact: true }).count(), 0);
      // What is not offered names the right and who can give it.
      const [box, bare] = [mock.state.nodes[0], mock.state.claws.find((one) => one.name === "lookout")];
      for (const [path, what] of [
        [`/claws/${mock.state.claws[1].id}?app=sandbox`, "run commands"],
        [`/claws/${bare.id}?app=sandbox`, "create sandboxes"],
        [`/claws/${bare.id}?app=brain`, "edit an agent's brain"],
        ["/agents", "create or change agents"],
        ["/fleet", "choose where new sandboxes run"],
        [`/fleet/${box.id}`, "check, drain or remove machines"],
      ]) {
        await page.goto(mock.url + path);
        await page.getByText(new RegExp(`You may not ${what}: .* yours is Viewer\\. Ask .*Ada`)).waitFor();
        await drawn(page, path);
        assert.deepEqual(await axe(page), [], path);
      }
      await page.goto(`${mock.url}/claws/${bare.id}?app=sandbox`);
      await drawn(page);
      assert.equal(await page.getByRole("button", { name: /sandbox/i }).count(), 0);
      assert.equal(await page.getByRole("link", { name: "Supervision" }).count(), 0);
    }),

  ...shellTests(scene, both),
  ...settingsTests(scene),
  ...modelTests(scene),
  ...deploymentTests(scene, both),
  ...tabTests(scene),
  ...noticeTests(scene, both),
  ...stateTests(scene, both),
  ...hostileTests(scene),
  ...peopleTests(scene),
  ...meshTests(scene),
  ...repoTests(scene),
  ...runTests(scene),
  ...compareTests(scene),
  ...teamTests(scene),
  ...skillTests(scene),
  ...templateTests(scene),
  ...liveTests(scene),
  ...fleetTests(scene),
  ...machineTests(scene),
  ...agentTests(scene),
  ...runtimeTests(scene),
  ...appTests(scene, both),
  ...pasteTests(scene, both),
  ...connectionTests(scene),
  ...doorTests(scene, both),
  ...doorListTests(scene),
  ...consoleTests(scene),
  ...brainTests(scene),
  ...markdownTests(scene, both),
  ...operatorTests(scene),
};

const failed = await runAll(tests);
await browser.close();
process.exit(failed === 0 ? 0 : 1);
