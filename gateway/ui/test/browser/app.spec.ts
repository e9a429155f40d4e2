// The page against the mock gateway, in a real Chromium: empty, loading, live, error and offline states; both themes; keyboard only.
import { axe, axeIn, drawn, hasFocus, settled, shot, show, tryAgain, uncovered } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test, THEMES } from "./fixtures.ts";
import { pagesOf } from "./pages.ts";

test.describe("pages", () => {
  for (const [width, label] of [
    [1280, "wide"],
    [360, "phone"],
  ] as const)
    test(`each page passes axe in both themes and has no sideways scroll (${label})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 800, waiting: true });
      for (const [name, path] of Object.entries(pagesOf(mock.state))) {
        await page.goto(mock.url + path);
        await drawn(page, path);
        expect(await axeIn(page, THEMES), `${name} ${label}`).toStrictEqual([[], []]);
        const [scroll, client] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        expect(scroll <= client, `${name} ${label} scrolls sideways: ${scroll} > ${client}`).toBeTruthy();
        expect(await page.title()).toMatch(/Roost$/);
        for (const theme of THEMES) {
          await show(page, theme);
          await shot(page, `${name}-${label}-${theme}`);
        }
      }
    });

  test("a failed panel says what failed with the request id and can be tried again", async ({ visit }) => {
    const { mock, page } = await visit();
    const path = `GET /api/nodes/${mock.state.nodes[0].id}/tools`;
    mock.state.failNext.set(path, new Refusal(500, "internal", "Something failed inside the gateway"));
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    await page.getByText("Something failed inside the gateway").waitFor();
    await page.getByText(/^req-\d+$/).waitFor();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "panel-failed");
    await tryAgain(page, mock);
    await page.getByText("docker-compose").waitFor();
  });

  test("loading shows a skeleton and the frame at once", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/claws");
    // A new visit: within one the list may be known already, because notifications are made from it.
    await page.goto(`${mock.url}/agents`);
    await page.getByRole("link", { name: "Agents" }).first().waitFor();
    await page.getByText("Loading agents").waitFor({ state: "attached" });
    answer();
    await page.getByRole("link", { name: "mason" }).waitFor();
  });

  test("a person gets from the fleet to a new agent by keyboard", async ({ visit }) => {
    const { page } = await visit({ at: "/fleet", full: false });
    await settled(page);
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "No agents yet" }).waitFor();
    const reach = async (name: string) => {
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(() => document.activeElement!.textContent)) === name) return;
      }
      throw new Error(`${name} cannot be reached by Tab`);
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
  });

  test("what is typed into a dialog stays when the page behind it changes", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/claws");
    await page.goto(`${mock.url}/agents?dialog=new`);
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("fourth");
    answer();
    await page.getByRole("link", { name: "mason", includeHidden: true }).waitFor({ state: "attached" });
    expect(await name.inputValue()).toBe("fourth");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "fourth" }).waitFor();
  });

  test("a refused value is marked at its field and the quota says what to do", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/agents?dialog=new`);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("mason");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByText("Another agent has this name").waitFor();
    await hasFocus(page.getByRole("textbox", { name: "Name", exact: true }));
    expect(await page.getByRole("dialog").getByRole("alert").count(), "said once, at the field").toBe(0);
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
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await hasFocus(name);
    expect(await axe(page)).toStrictEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete the agent" }).click();
    await page.getByText("The agent is removed. Its history is kept.").waitFor();
  });

  test("a viewer is offered only what a viewer may do", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    mock.state.operator = false;
    const offers = {
      "/fleet": "Pair a machine",
      "/agents": "New agent",
      [`/fleet/${mock.state.nodes[0].id}`]: "Drain",
      [`/claws/${mock.state.claws[1].id}?app=sandbox`]: "More actions",
    };
    for (const [path, name] of Object.entries(offers)) {
      await page.goto(mock.url + path);
      await drawn(page, path);
      expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
    }
    expect(await page.getByLabel("Command", { exact: true }).count()).toBe(0);
    // What is not offered names the right and who can give it.
    const [box, bare] = [mock.state.nodes[0], agentNamed(mock.state, "lookout")];
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
      expect(await axe(page), path).toStrictEqual([]);
    }
    await page.goto(`${mock.url}/claws/${bare.id}?app=sandbox`);
    await drawn(page);
    expect(await page.getByRole("button", { name: /^(?!What is).*sandbox/i }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Supervision" }).count()).toBe(0);
  });
});
