// A session that ends while somebody types: whatever the form, what was typed stays, and the person signs in above it.
import type { Locator, Page } from "@playwright/test";
import { axe, drawn, settled, shot, until } from "../kit.ts";
import { must } from "../mock/refusal.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import { makeDoneRun, makeRun, makeStep } from "../mock/runs.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

type State = Mock["state"];
type Name = string | RegExp;
type Form = [name: string, path: (state: State) => string, field: string, before?: Name | Name[]];

const ownTemplate = ({ templates }: State) => {
  templates[0].source = "workspace";
  return templates[0];
};

/** A run whose first step works. */
const working = (state: State) => {
  const run = makeRun(state);
  run.steps.push(makeStep(run, "planner"));
  state.runs.list.unshift(run);
  state.runs.calls.set(run.id, []);
  return run;
};

const ownSkill = ({ skills }: State) => must(skills.find(({ visibility }) => visibility === "workspace"));

/** A run that is over, which can be forked. */
const ended = (state: State) => {
  const { run, calls } = makeDoneRun(state);
  state.runs.list.unshift(run);
  state.runs.calls.set(run.id, calls);
  return `/runs/${run.id}`;
};

const apps = (state: State) => `/claws/${agentNamed(state, "lookout").id}?app=apps`;

/** Each form of the page: where it is, the field that is typed into, and the button that opens it. */
const FORMS: Form[] = [
  ["a new agent", () => "/agents?dialog=new", "Name"],
  ["an agent", ({ claws }) => `/claws/${claws[0].id}`, "Name", "Change the agent"],
  [
    "a brain",
    (state) => `/claws/${agentNamed(state, "scribe").id}?app=brain&view=edit`,
    "/What this agent keeps/",
  ],
  ["a new team", ({ templates }) => `/teams/new?template=${templates[1].id}`, "Name of the team"],
  ["a new mission", () => "/missions/new", "Title"],
  ["a new routine", () => "/routines/new", "Name"],
  ["a new skill", () => "/skills?dialog=new", "Title"],
  ["a comparison", () => "/runs/compare", "Goal"],
  ["an invitation", () => "/members", "E-mail (optional)", "Invite"],
  ["a code host", () => "/repos?dialog=connect", "Access token"],
  ["a mesh", () => "/mesh?dialog=connect", "API key"],
  ["a machine to pair", () => "/fleet?dialog=pair", "Name of the machine"],
  ["a machine's name", ({ nodes }) => `/fleet/${nodes[0].id}`, "Name", "Name and labels"],
  ["the workspace's name", () => "/settings", "Name"],
  ["the own name", () => "/account", "Name"],
  ["a password", () => "/account", "Current password"],
  ["a model to add", () => "/settings/models", "Input price", "Add a model"],
  ["the spending limits", () => "/settings/models", "/^Limit per run/"],
  ["a team template", (state) => `/templates/${ownTemplate(state).id}`, "What it is for", "Edit"],
  ["work on Home", () => "/", "Goal", "Give work"],
  ["work for a team", ({ teams }) => `/teams/${teams.list[0].id}`, "Goal"],
  ["work for an agent", (state) => `/claws/${agentNamed(state, "scribe").id}?app=work`, "Goal"],
  ["a message to a run", (state) => `/runs/${working(state).id}`, "Message"],
  ["an API token", () => "/account", "What it is for", "New token"],
  ["an agent's token", ({ claws }) => `/claws/${claws[0].id}?app=runtime`, "What it is for", "New token"],
  ["an app", apps, "Address of the webhook", ["Connect an app", "A webhook"]],
  ["the secret of an app", apps, "Secret", ["Connect an app", "A webhook"]],
  ["an MCP server", apps, "Address of the MCP server", ["Connect an app", "An MCP server"]],
  ["a fork", ended, "Goal", "Fork"],
  ["a message to a fork", ended, "Say to the agents that work again", "Fork"],
  ["a skill", (state) => `/skills/${ownSkill(state).id}`, "When to use it", "Edit"],
  ["a routine", (state) => `/routines/${makeRoutine(state).id}`, "Name", "Edit"],
  ["the limits of a team's sandboxes", ({ teams }) => `/teams/${teams.list[0].id}`, "CPUs"],
  ["the limits of an agent's sandbox", ({ claws }) => `/claws/${claws[0].id}?app=runtime`, "CPUs"],
  ["the limits of a plan", () => "/settings", "Agents", "Change limits of free"],
  ["a new workspace", () => "/quotas", "Name", [/^Workspace /, "New workspace"]],
  ["the copy of a template", ({ templates }) => `/templates/${templates[0].id}`, "Name", "Copy"],
  ["files for a sandbox", (state) => `/agents/${agentNamed(state, "mason").id}/files`, "Folder"],
];

const again = (page: Page): Locator => page.getByRole("dialog", { name: "Sign in" });

async function end(mock: Mock): Promise<void> {
  mock.state.sessions.clear();
  mock.hub.end();
}

async function signInAgain(page: Page, mock: Mock): Promise<void> {
  const dialog = again(page);
  await dialog.getByLabel("E-mail").fill(mock.state.user.email);
  await dialog.getByLabel("Password", { exact: true }).fill(mock.state.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

const fieldOf = (page: Page, field: string) =>
  (field.startsWith("/")
    ? page.getByLabel(new RegExp(field.slice(1, -1)))
    : page.getByLabel(field, { exact: true })
  )
    .and(page.locator("input, textarea"))
    .first();

test.describe("a session that ends", () => {
  test("keeps what was typed in every form", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    for (const [name, path, field, opens] of FORMS) {
      await test.step(name, async () => {
        await page.goto("about:blank");
        const address = mock.url + path(mock.state);
        await page.goto(address);
        await settled(page);
        const { pathname } = new URL(page.url());
        for (const press of [opens ?? []].flat())
          await page
            .getByRole("button", { name: press })
            .or(page.getByRole("radio", { name: press }))
            .first()
            .click();
        const typed = fieldOf(page, field);
        await typed.fill("typed-before-the-end");
        await end(mock);
        await again(page).waitFor();
        await signInAgain(page, mock);
        expect(await typed.inputValue(), name).toBe("typed-before-the-end");
        expect(new URL(page.url()).pathname, name).toBe(pathname);
      });
    }
  });

  test("keeps files that were uploaded, and sends those that are picked afterwards", async ({ visit }) => {
    const { mock, page } = await visit();
    const picked = { name: "shop.tar", mimeType: "application/x-tar", buffer: Buffer.alloc(1024) };
    await page.goto(`${mock.url}/teams/${mock.state.teams.list[0].id}`);
    await settled(page);
    await page.locator("[data-picks=files]").setInputFiles(picked);
    await page.getByText("Works on").waitFor();
    await end(mock);
    await again(page).waitFor();
    await signInAgain(page, mock);
    await page.getByText("Works on").waitFor();
    await page.goto(`${mock.url}/agents/${agentNamed(mock.state, "mason").id}/files`);
    await settled(page);
    const panel = page.getByRole("region", { name: "Put files into the sandbox" });
    await panel.getByLabel("Folder").fill("docs");
    await end(mock);
    await again(page).waitFor();
    await signInAgain(page, mock);
    await panel.locator("[data-picks=files]").setInputFiles({ ...picked, name: "notes.txt" });
    await panel.getByText("One file is in /workspace/docs.").waitFor();
  });

  test("is told above a dialog, which can be sent afterwards", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/agents?dialog=new`);
    await settled(page);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("typist");
    mock.state.sessions.clear();
    await page.getByRole("button", { name: "Create agent" }).click();
    await again(page).waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "sign-in-again");
    await signInAgain(page, mock);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "typist" }).waitFor();
  });

  test("shows nothing of this person to another one who signs in", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/agents?dialog=new`);
    await settled(page);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("typist");
    await end(mock);
    await again(page).waitFor();
    mock.state.user = { ...mock.state.user, id: "another" };
    await again(page).getByLabel("E-mail").fill(mock.state.user.email);
    await again(page).getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await until("the form to be gone", async () => (await page.getByRole("dialog").count()) === 0);
  });
});
