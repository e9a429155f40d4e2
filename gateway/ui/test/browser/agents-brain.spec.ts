// An agent's brain and picture, and the audit log, against the mock gateway.
import { readFileSync } from "node:fs";
import { axe, choose, hasFocus, settled, shot, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeEntry, makeVersion } from "../mock/state.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

const LABEL = /What this agent keeps/;

test.describe("agents: brain", () => {
  test("a draft survives a tab change, a reload and another person's version and is saved by keyboard", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    const claw = agentNamed(state, "scribe");
    await page.goto(`${mock.url}/claws/${claw.id}?app=brain&view=edit`);
    const text = page.getByLabel(LABEL);
    await text.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nMine.");
    await page.getByText("Not saved yet").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("tab", { name: "Brain" }).click();
    expect(await text.inputValue()).toMatch(/Mine\.$/);
    // Somebody else saves a version while this one is being written, and the page is loaded again.
    const other = makeVersion(state, 3, "# Scribe\n\nSomebody else's.", {
      author: { id: "ben", name: "Ben", email: "b@x" },
    });
    state.brains.get(claw.id)!.push(other);
    mock.hub.changed("claw", claw.id, claw.version);
    await page.getByText("Ben changed this brain meanwhile").waitFor();
    await page.reload();
    await page.getByText("Ben changed this brain meanwhile").waitFor();
    expect(await text.inputValue()).toMatch(/Mine\.$/);
    await page.getByRole("button", { name: "Show changes" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Your text against version 3" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "brain-conflict");
    await page.getByRole("button", { name: "Save mine over it" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("version 4", { exact: true }).waitFor();
    expect(state.brains.get(claw.id)!.at(-1)!.agent_md).toMatch(/Mine\.$/);
    await until(
      "nothing to be left unsaved",
      async () => (await page.getByText("Not saved yet").count()) === 0,
    );
  });

  test("each line of a comparison has full height when it is empty and unchanged", async ({ visit }) => {
    const { mock, page } = await visit();
    const claw = agentNamed(mock.state, "scribe");
    mock.state.brains.set(
      claw.id,
      ["# Scribe\n\nOne.\n\nTwo.", "# Scribe\n\nOne.\n\nThree.\n\nFour."].map((text, n) =>
        makeVersion(mock.state, n + 1, text),
      ),
    );
    await page.goto(`${mock.url}/claws/${claw.id}?app=brain&view=history`);
    await page.getByRole("button", { name: "Compare version 1 with the current one" }).click();
    const lines = page.getByRole("region", { name: "What changed from version 1 to version 2" });
    await lines.getByRole("listitem").first().waitFor();
    const heights = await lines
      .getByRole("listitem")
      .evaluateAll((all) => all.map((line) => line.getBoundingClientRect().height));
    expect(heights.length).toBe(8);
    expect(new Set(heights).size, heights.join()).toBe(1);
    await shot(page, "brain-empty-lines");
  });

  test("a refused save keeps the text and a version is compared and restored by keyboard", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const claw = agentNamed(mock.state, "scribe");
    await page.goto(`${mock.url}/claws/${claw.id}?app=brain&view=edit`);
    const text = page.getByLabel(LABEL);
    // The stream must be open: asking again when it opens would tell of the other's version.
    await settled(page);
    await text.fill("mine");
    // The other's version is there, but no event has told of it.
    mock.state.brains.get(claw.id)!.push(makeVersion(mock.state, 3, "theirs"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("changed this brain meanwhile").waitFor();
    expect(await text.inputValue()).toBe("mine");
    await page.getByRole("button", { name: "Take theirs" }).click();
    await until("theirs to be shown", async () => (await text.inputValue()) === "theirs");
    await page.getByRole("button", { name: "History" }).click();
    await until("the address to say so", () => page.url().includes("view=history"));
    await page.reload();
    await page.getByRole("button", { name: "Compare version 1 with the current one" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "What changed from version 1 to version 3" }).waitFor();
    await shot(page, "brain-history");
    await page.getByRole("button", { name: "Restore version 1" }).focus();
    await page.keyboard.press("Enter");
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("restored from version 1 by").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await until("the text to be the first", async () =>
      (await text.inputValue()).endsWith("Keeps it short."),
    );
  });

  test("an avatar accepts a picture, refuses an SVG and returns to the drawn one", async ({ visit }) => {
    const { mock, page } = await visit();
    const claw = agentNamed(mock.state, "lookout");
    await page.goto(`${mock.url}/claws/${claw.id}`);
    await page.getByRole("button", { name: "Choose a picture" }).waitFor();
    const input = page.getByLabel("Picture file");
    await input.setInputFiles({ name: "a.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") });
    await page.getByText("This picture is not accepted").waitFor();
    await input.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("button", { name: "Use this picture" }).click();
    await page.getByRole("button", { name: "Use the drawn one" }).click();
    await until(
      "the drawn one to be back",
      async () => (await page.getByRole("button", { name: "Use the drawn one" }).count()) === 0,
    );
    expect(await axe(page)).toStrictEqual([]);
  });

  test("the log shows sentences, filters in the address, older pages and an entry that breaks the chain", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    state.audit[0].link!.intact = false;
    await page.goto(`${mock.url}/audit`);
    await page
      .getByText(/^Ada wrote the brain of scribe|^Ada changed the agent/)
      .first()
      .waitFor();
    await page.getByText("1 entry does not fit").waitFor();
    for (const count of [20, 40, 60]) {
      await until(`${count} entries`, async () => (await page.locator("ol > li details").count()) === count);
      if (count < 60) await page.getByRole("button", { name: "Show older ones" }).click();
    }
    await choose(page.getByLabel("What"), { label: "Agents" });
    await until("the filter to hold", async () => (await page.locator("ol > li details").count()) === 15);
    expect(page.url()).toMatch(/action=claw/);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "audit-filtered");
    await page.locator("li summary").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show all events for this item" }).first().click();
    await page.getByRole("button", { name: "Clear filter" }).click();
    await until("the filter to be gone", () => !page.url().includes("action="));
    // A live change adds its entry without a reload.
    await page.mouse.move(5, 5);
    const entry = makeEntry(state, 61, "session.opened", { id: "s" }, {}, "session");
    state.audit.unshift({ ...entry, at: ago(0), link: undefined });
    mock.hub.changed("claw", state.claws[0].id, state.claws[0].version);
    await page.getByText("Ada signed in").waitFor();
    await page.getByText("1 being linked").or(page.getByText("1 entry does not fit")).first().waitFor();
    state.role = "viewer";
    await page.reload();
    await page.getByRole("heading", { name: "The audit log is for Admins" }).waitFor();
    await page.getByText(/Ask \u2068Ada\u2069 or \u2068Grace/).waitFor();
  });

  test("the page says so when the log is empty and when it cannot be read", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/audit`);
    await page.getByRole("heading", { name: "No entries yet" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.goto(`${mock.url}/audit?action=node.*`);
    await page.getByRole("heading", { name: "No entries match the filter" }).waitFor();
  });

  test("the chain is verified entry by entry and the filtered entries are exported, also as a spreadsheet", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    // A name that a spreadsheet would run, written by a stranger.
    const evil = makeEntry(state, 61, "claw.created", state.claws[0], {
      name: '=HYPERLINK("http://x","y")',
    });
    state.audit.unshift(evil);
    await page.goto(`${mock.url}/audit`);
    await page.getByRole("heading", { name: "Hash chain" }).click();
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(/^Verified: 61 entries intact/).waitFor();
    state.audit[7].link!.intact = false;
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText("1 of 61 entries changed after linking").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "audit-verified");
    await choose(page.getByLabel("What"), { label: "Agents" });
    await until("the filter to hold", async () => (await page.locator("ol > li details").count()) === 16);
    const save = async (form: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Export ${form}` }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(new RegExp(`^audit-.*\\.${form.toLowerCase()}$`));
      return readFileSync(await download.path(), "utf8");
    };
    expect(JSON.parse(await save("JSON")).length).toBe(16);
    const lines = (await save("CSV")).trim().split("\r\n");
    expect(lines.length).toBe(17);
    expect(!lines.some((line) => /(^|,)"?[=+@]/.test(line)), "no cell begins like a formula").toBeTruthy();
    await page.getByRole("button", { name: "Notifications, 2 new" }).click();
    await page.getByText("16 entries").first().waitFor();
  });
});
