// Markdown that somebody else wrote, in an agent's brain: laid out and legible, with nothing of it run, fetched or hidden.
import { axe, axeBoth, drawn, settled, shotBoth, until } from "../kit.ts";
import { makeVersion } from "../mock/state.ts";
import { agentNamed, expect, test, type Visit } from "./fixtures.ts";

const GOOD = `# Scribe

Keeps it *short*, and says **why before what**. See [the tasks](#tasks) and [the guide](https://guide.example/a?b=1&c=2).

## Tasks

- [x] read the log
- [ ] write the notes
  1. first the headline
  2. then the rest

| Part | Words |
| :-- | --: |
| headline | 8 |
| body | 120 |

\`\`\`rust
fn main() { println!("a line of code that is quite long, so that a narrow page has to scroll it"); }
\`\`\`

> Nobody reads a long one.
`;

const HOSTILE = `# Hello \u202Egpj.exe\u202C

<script>window.hacked=1</script>
<img src="https://tracker.invalid/q.png" onerror="window.hacked=1"> <b onmouseover="window.hacked=1">bold</b>
<!-- do as I say -->

![pixel](https://tracker.invalid/p.png) [click](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>)
[https://bank.example](https://elsewhere.example/) [//]: # (unseen)

[hidden]: https://tracker.invalid/d.png "do as I say"
`;

async function open({ mock, page }: Visit, text: string, more = "") {
  const claw = agentNamed(mock.state, "scribe");
  mock.state.brains.get(claw.id)!.push(makeVersion(mock.state, 3, text));
  await page.goto(`${mock.url}/claws/${claw.id}?app=brain${more}`);
}

test.describe("agents: text of a brain", () => {
  test("a brain opens as laid-out text on a wide page and on a phone", async ({ visit }) => {
    const at = await visit({ width: 1440, height: 1000 });
    const { page } = at;
    await open(at, GOOD);
    await page.getByRole("heading", { name: "Tasks" }).waitFor();
    await page.getByRole("button", { name: "Read", pressed: true }).waitFor();
    await settled(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "markdown-wide");
    const out = page.getByRole("link", { name: "the guide" });
    expect(await out.getAttribute("href")).toBe("https://guide.example/a?b=1&c=2");
    expect(await out.getAttribute("rel")).toBe("noopener noreferrer");
    const address = page.url();
    await page.getByRole("link", { name: "the tasks" }).click();
    await until("the heading to have the focus", () =>
      page.evaluate(() => document.activeElement?.textContent === "Tasks"),
    );
    expect(page.url(), "the address names no heading of somebody else's text").toBe(address);
    await page.getByRole("region", { name: "Code, rust" }).waitFor();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await drawn(page);
    expect(
      (await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )) <= 0,
    ).toBeTruthy();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "markdown-phone");
  });

  test("a hostile brain runs nothing, requests nothing and hides nothing", async ({ visit }) => {
    const at = await visit();
    const { mock, page, context } = at;
    const elsewhere: string[] = [];
    context.on("request", (request) => {
      if (!request.url().startsWith(mock.url)) elsewhere.push(request.url());
    });
    await open(at, HOSTILE);
    await page.getByRole("button", { name: "Picture from tracker.invalid (pixel)" }).waitFor();
    await settled(page);
    for (const seen of [
      "\\u{202e}gpj.exe\\u{202c}",
      "<script>window.hacked=1</script>",
      '<b onmouseover="window.hacked=1">bold</b>',
      "<!-- do as I say -->",
      "javascript:window.hacked=1, no link",
      "(leads to elsewhere.example)",
      'tracker.invalid/d.png "do as I say"',
    ])
      await page.locator("[data-markdown]").getByText(seen).first().waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "markdown-hostile");
    await page.getByRole("button", { name: /^Picture from/ }).click();
    await page.getByText("This page loads nothing from tracker.invalid").waitFor();
    const link = page.getByRole("link", { name: "Open https://tracker.invalid/p.png" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await axeBoth(page)).toStrictEqual([]);
    const harm = await page.evaluate(() => [
      window.hacked ?? 0,
      document.querySelectorAll("[data-markdown] :is(script, img, iframe, style, form)").length,
      [...document.links].filter((one) => !/^(https?|mailto):/.test(one.href)).length,
    ]);
    expect(harm).toStrictEqual([0, 0, 0]);
    expect(elsewhere).toStrictEqual([]);
  });

  test("a brain of a megabyte is laid out up to a limit and the page stays responsive", async ({ visit }) => {
    const at = await visit();
    const { page } = at;
    await open(at, `# Deep\n\n${"> ".repeat(200)}\n\n${"[a](".repeat(1_900)}\n\n${"- a\n".repeat(250_000)}`);
    await page.getByRole("heading", { name: "Deep" }).waitFor();
    await page.getByText(/shown as plain text/).waitFor();
    expect((await page.locator("[data-markdown] *").count()) < 20_000).toBeTruthy();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
  });

  test("a brain's versions can be read and an unsaved text is mentioned beside the saved one", async ({
    visit,
  }) => {
    const at = await visit();
    const { page } = at;
    await open(at, GOOD, "&view=history");
    await page.getByRole("button", { name: "Read version 2" }).click();
    const version = page.getByRole("region", { name: "Version 2", exact: true });
    await version.getByRole("heading", { name: "Scribe" }).waitFor();
    await page.getByRole("button", { name: "Compare version 2 with the current one" }).click();
    await page.getByRole("region", { name: "What changed from version 2 to version 3" }).waitFor();
    expect(await version.count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel(/What this agent keeps/).fill("# Mine");
    await page.getByText("Not saved yet").waitFor();
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByText("This is the saved text").waitFor();
    expect(await page.getByRole("heading", { name: "Mine" }).count()).toBe(0);
    await page.getByRole("button", { name: "Continue editing" }).click();
    await page.getByText("Not saved yet").waitFor();
  });

  test("an empty brain can be written by a person with the right and is explained to others", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const claw = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${claw.id}?app=brain`);
    await page.getByLabel(/What this agent keeps/).waitFor();
    mock.state.role = "viewer";
    await page.reload();
    await page.getByText("Nothing is written here yet").waitFor();
    expect(await page.getByRole("button", { name: "Edit" }).count()).toBe(0);
  });
});
