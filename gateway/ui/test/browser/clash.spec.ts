// Two people edit one thing: whatever the form, what was typed stays, theirs stands beside it, and the person chooses.
import type { Locator, Page } from "@playwright/test";
import { axe, choose, drawn, settled, shot, until } from "../kit.ts";
import { must } from "../mock/refusal.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import type { State } from "../mock/state.ts";
import { makeVersion } from "../mock/state.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

/** A form in which something is typed before it is sent. */
interface Typed {
  name: string;
  path: (state: State) => string;
  /** Opens the form. */
  open?: (page: Page) => Promise<void>;
  field: (page: Page) => Locator;
  /** Three values that the field takes. */
  values?: [string, string, string];
  /** Somebody else saves it. */
  theirs: (state: State, value: string) => void;
  now: (state: State) => string;
  save: string | RegExp;
}

const press = (name: string | RegExp) => async (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
const box = (label: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).and(page.locator("input, textarea")).first();
const panel = (page: Page, name: string | RegExp) => page.getByRole("region", { name, exact: true });

const template = (state: State) => {
  const [one] = state.templates;
  one.source = "workspace";
  return one;
};
const skill = (state: State) => must(state.skills.find(({ visibility }) => visibility === "workspace"));
const routine = (state: State) => state.routines.list[0] ?? makeRoutine(state);
const team = (state: State) => state.teams.list[0];
const brain = (state: State) => must(state.brains.get(agentNamed(state, "scribe").id));
const rights = (state: State) => {
  const { id } = agentNamed(state, "scribe");
  const own = state.rights.get(id) ?? { profile: "toolfree" as const, bundles: ["door" as const] };
  state.rights.set(id, own);
  return own;
};
const plan = (state: State) => state.plans[0];
const model = (state: State) => state.models.list[1];

const FORMS: Typed[] = [
  {
    name: "an agent",
    path: (state) => `/claws/${agentNamed(state, "scribe").id}`,
    open: press("Change the agent"),
    field: box("Role"),
    theirs: (state, value) => {
      const one = agentNamed(state, "scribe");
      Object.assign(one, { role: value, version: one.version + 1 });
    },
    now: (state) => agentNamed(state, "scribe").role ?? "",
    save: "Save",
  },
  {
    name: "a brain",
    path: (state) => `/claws/${agentNamed(state, "scribe").id}?app=brain&view=edit`,
    field: (page) => page.getByLabel(/What this agent keeps/),
    theirs: (state, value) => brain(state).push(makeVersion(state, brain(state).at(-1)!.version + 1, value)),
    now: (state) => brain(state).at(-1)!.agent_md,
    save: "Save",
  },
  {
    name: "an agent's limits",
    path: (state) => `/claws/${agentNamed(state, "scribe").id}?app=runtime`,
    field: box("CPUs"),
    values: ["1", "2", "3"],
    theirs: (state, value) => {
      rights(state).limits = { nano_cpus: Number(value) * 1e9 };
      agentNamed(state, "scribe").version += 1;
    },
    now: (state) => String((rights(state).limits?.nano_cpus ?? 0) / 1e9),
    save: "Save limits",
  },
  {
    name: "a team's limits",
    path: (state) => `/teams/${team(state).id}`,
    field: box("CPUs"),
    values: ["1", "2", "3"],
    theirs: (state, value) => {
      const one = team(state);
      Object.assign(one, { limits: { nano_cpus: Number(value) * 1e9 }, version: one.version + 1 });
    },
    now: (state) => String((team(state).limits.nano_cpus ?? 0) / 1e9),
    save: "Save limits",
  },
  {
    name: "a team's name",
    path: (state) => `/teams/${team(state).id}`,
    field: box("Name of the team"),
    theirs: (state, value) => {
      const one = team(state);
      Object.assign(one, { name: value, version: one.version + 1 });
    },
    now: (state) => team(state).name,
    save: "Save the name",
  },
  {
    name: "a team's repository",
    path: (state) => {
      const [repo] = state.repos.repos;
      team(state).repo ??= { repo_id: repo.id, full_name: repo.full_name, base: "main" };
      return `/teams/${team(state).id}`;
    },
    field: (page) => panel(page, "What its agents may use").getByLabel("Begin at", { exact: true }),
    theirs: (state, value) => {
      const one = team(state);
      Object.assign(one, { repo: { ...one.repo, base: value }, version: one.version + 1 });
    },
    now: (state) => team(state).repo?.base ?? "",
    save: "Save the repository",
  },
  {
    name: "a team template",
    path: (state) => `/templates/${template(state).id}`,
    open: press("Edit"),
    field: box("What it is for"),
    theirs: (state, value) => {
      const one = template(state);
      Object.assign(one, { description: value, version: one.version + 1 });
    },
    now: (state) => template(state).description,
    save: /^Save as version/,
  },
  {
    name: "a skill",
    path: (state) => `/skills/${skill(state).id}`,
    open: press("Edit"),
    field: box("When to use it"),
    theirs: (state, value) => {
      const one = skill(state);
      Object.assign(one, { when_to_use: value, current_version: one.current_version + 1 });
    },
    now: (state) => skill(state).when_to_use,
    save: "Save as a new version",
  },
  {
    name: "a routine",
    path: (state) => `/routines/${routine(state).id}`,
    open: press("Edit"),
    field: box("Name"),
    theirs: (state, value) => {
      const one = routine(state);
      Object.assign(one, { name: value, version: one.version + 1 });
    },
    now: (state) => routine(state).name,
    save: "Save",
  },
  {
    name: "a model",
    path: () => "/settings/models",
    open: press("Change openai/gpt-large"),
    field: box("Window in tokens (optional)"),
    values: ["64000", "65000", "66000"],
    theirs: (state, value) => {
      const one = model(state);
      Object.assign(one, { context_tokens: Number(value), version: one.version + 1 });
    },
    now: (state) => String(model(state).context_tokens),
    save: "Save",
  },
  {
    name: "the spending limits",
    path: () => "/settings/models",
    field: box("Limit per run, in dollars"),
    values: ["4", "5", "6"],
    theirs: (state, value) => {
      state.models.settings = { ...state.models.settings, run_ceiling_microusd: Number(value) * 1e6 };
    },
    now: (state) => String((state.models.settings.run_ceiling_microusd ?? 0) / 1e6),
    save: "Save limits",
  },
  {
    name: "a machine's name",
    path: ({ nodes }) => `/fleet/${nodes[0].id}`,
    open: press("Name and labels"),
    field: box("Name"),
    theirs: ({ nodes }, value) => {
      Object.assign(nodes[0], { name: value, version: nodes[0].version + 1 });
    },
    now: ({ nodes }) => nodes[0].name,
    save: "Save",
  },
  {
    name: "the workspace's name",
    path: () => "/settings",
    field: (page) => panel(page, "Name").getByRole("textbox"),
    theirs: (state, value) => {
      must(state.people.workspaces.find(({ id }) => id === state.workspace)).name = value;
    },
    now: (state) => must(state.people.workspaces.find(({ id }) => id === state.workspace)).name,
    save: "Rename",
  },
  {
    name: "a plan",
    path: (state) => {
      state.operator = true;
      return "/settings";
    },
    open: async (page) => {
      await page
        .getByRole("button", { name: /^Change limits of/ })
        .first()
        .click();
    },
    field: box("Running sandboxes"),
    values: ["11", "12", "13"],
    theirs: (state, value) => {
      const one = plan(state);
      Object.assign(one, { live_containers: Number(value), version: one.version + 1 });
    },
    now: (state) => String(plan(state).live_containers),
    save: "Save limits",
  },
  {
    name: "the own account",
    path: () => "/account",
    field: box("Name"),
    theirs: (state, value) => {
      state.user.name = value;
    },
    now: (state) => state.user.name,
    save: "Save",
  },
];

/** A choice that is sent at once. */
interface Chosen {
  name: string;
  path: (state: State) => string;
  box: (page: Page) => Locator;
  /** The values of an option, and of two others. */
  values: [string, string, string];
  theirs: (state: State, value: string) => void;
  now: (state: State) => string;
  /** What has to be pressed after it was chosen. */
  save?: string;
}

const CHOICES: Chosen[] = [
  {
    name: "a team's right",
    path: (state) => `/teams/${team(state).id}`,
    box: (page) => page.getByLabel("What they may do", { exact: true }),
    values: ["toolfree", "coding_readonly", "coding_readwrite"],
    theirs: (state, value) => {
      const one = team(state);
      Object.assign(one, { risk_profile: value, version: one.version + 1 });
    },
    now: (state) => team(state).risk_profile ?? "",
  },
  {
    name: "a team's image",
    path: (state) => `/teams/${team(state).id}`,
    box: (page) => page.getByLabel("Image of their sandboxes", { exact: true }),
    values: ["rust", "", "node"],
    theirs: (state, value) => {
      const one = team(state);
      Object.assign(one, { image: value || null, version: one.version + 1 });
    },
    now: (state) => team(state).image ?? "",
  },
  {
    name: "an agent's right",
    path: (state) => `/claws/${agentNamed(state, "scribe").id}?app=runtime`,
    box: (page) => page.getByLabel("What it may do", { exact: true }),
    values: ["toolfree", "coding_readonly", "coding_readwrite"],
    theirs: (state, value) => {
      rights(state).profile = value as "toolfree";
      agentNamed(state, "scribe").version += 1;
    },
    now: (state) => rights(state).profile,
  },
  {
    name: "a member's role",
    path: () => "/members",
    box: (page) => page.getByRole("combobox", { name: "Role of Grace" }),
    values: ["member", "viewer", "admin"],
    theirs: (state, value) => {
      state.people.members[1].role = value as "viewer";
    },
    now: (state) => state.people.members[1].role,
    save: "Change role",
  },
  {
    name: "where new sandboxes run",
    path: (state) => {
      state.placement = { target: "node", node_id: state.nodes[0].id };
      return "/fleet";
    },
    box: (page) => page.getByLabel("New sandboxes run on", { exact: true }),
    values: ["0", "1", "local"],
    theirs: (state, value) => {
      state.placement = { target: "node", node_id: state.nodes[Number(value)].id };
    },
    now: ({ placement, nodes }) =>
      placement.target === "node"
        ? String(nodes.findIndex(({ id }) => id === placement.node_id))
        : placement.target,
  },
  {
    name: "the workspace's plan",
    path: (state) => {
      state.operator = true;
      return "/settings";
    },
    box: (page) => page.getByLabel("Plan", { exact: true }),
    values: ["free", "team", "scale"],
    theirs: (state, value) => {
      state.quota.plan = value;
    },
    now: (state) => state.quota.plan,
    save: "Set plan",
  },
];

const note = (page: Page) => page.getByRole("alert").filter({ hasText: "changed this" });

/** The newest change, as the audit log of the gateway has it. */
function told(state: State, at: string) {
  for (const entry of state.audit) Object.assign(entry, { at });
}

test.describe("two people edit one thing", () => {
  test("what was typed stays in every form, beside what somebody else saved", async ({ visit }) => {
    const { mock, page } = await visit();
    for (const { name, path, open, field, values, theirs, now, save } of FORMS)
      await test.step(name, async () => {
        const { state } = mock;
        const [mine, first, second] = values ?? ["Mine, as typed", "Theirs, as saved", "Theirs, once more"];
        await page.goto("about:blank");
        await page.goto(mock.url + path(state));
        await settled(page);
        await open?.(page);
        const typed = field(page);
        await typed.fill(mine);
        theirs(state, first);
        // A form may be one of several on its page with such a button.
        const sends = typed.locator("xpath=ancestor::form").getByRole("button", { name: save });
        const button =
          (await sends.count()) > 0 ? sends : page.getByRole("button", { name: save, exact: true });
        await button.click();
        await note(page).waitFor();
        expect(await typed.inputValue(), name).toBe(mine);
        expect(now(state), `${name}: nothing was sent over theirs`).toBe(first);
        await expect(note(page), name).toContainText(first);
        await expect(note(page), name).toContainText(mine);
        await drawn(page);
        expect(await axe(page), name).toStrictEqual([]);
        await shot(page, `clash-${name.replaceAll(" ", "-")}`);
        await note(page).getByRole("button", { name: "Take theirs" }).click();
        await note(page).waitFor({ state: "detached" });
        await until(`${name}: theirs to be in the form`, async () => (await typed.inputValue()) === first);
        expect(now(state), name).toBe(first);
        // Once more, and mine is saved over it.
        await typed.fill(mine);
        theirs(state, second);
        await button.click();
        await note(page).waitFor();
        await expect(note(page), name).toContainText(second);
        await note(page).getByRole("button", { name: "Save mine over it" }).click();
        await until(`${name}: mine to be saved`, () => now(state) === mine);
        await note(page).waitFor({ state: "detached" });
      });
  });

  test("a choice that is sent at once asks before it goes over another one", async ({ visit }) => {
    const { mock, page } = await visit();
    for (const { name, path, box: boxOf, values, theirs, now, save } of CHOICES)
      await test.step(name, async () => {
        const { state } = mock;
        const [first, second, mine] = values;
        const value = (of: string) => (/^\d$/.test(of) ? state.nodes[Number(of)].id : of);
        theirs(state, first);
        await page.goto("about:blank");
        await page.goto(mock.url + path(state));
        await settled(page);
        const ask = async () => {
          await choose(boxOf(page), value(mine));
          if (save) await page.getByRole("button", { name: save }).click();
        };
        theirs(state, second);
        await ask();
        await note(page).waitFor();
        expect(now(state), name).toBe(second);
        await drawn(page);
        expect(await axe(page), name).toStrictEqual([]);
        await note(page).getByRole("button", { name: "Take theirs" }).click();
        await note(page).waitFor({ state: "detached" });
        expect(now(state), name).toBe(second);
        theirs(state, first);
        await ask();
        await note(page).waitFor();
        await note(page).getByRole("button", { name: "Save mine over it" }).click();
        await until(`${name}: mine to be saved`, () => now(state) === mine);
        await note(page).waitFor({ state: "detached" });
      });
  });

  test("it says who changed it and when, and both keep their fields where they can", async ({ visit }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    const one = agentNamed(state, "scribe");
    await page.goto(`${mock.url}/claws/${one.id}`);
    await settled(page);
    await page.getByRole("button", { name: "Change the agent" }).click();
    await page.getByLabel("Role", { exact: true }).fill("Writes mine");
    Object.assign(one, { system_prompt: "Theirs.", version: one.version + 1 });
    const [entry] = state.audit;
    state.audit.unshift({
      ...entry,
      actor: "ben",
      by: { id: "ben", name: "Ben Stone", email: "ben@example.org" },
      action: "claw.updated",
      entity_kind: "claw",
      entity_id: one.id,
    });
    told(state, new Date(Date.now() - 120_000).toISOString());
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await note(page)
      .getByText(/Ben Stone changed this agent meanwhile \(2 min/)
      .waitFor();
    await note(page).getByText("You changed other fields, so both changes can stay.").waitFor();
    await note(page).getByRole("button", { name: "Save mine too" }).click();
    await until("both to be there", () => one.role === "Writes mine" && one.system_prompt === "Theirs.");
  });
});
