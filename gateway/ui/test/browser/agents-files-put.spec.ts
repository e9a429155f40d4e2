// Files of a person's computer go into a sandbox, in a real Chromium.
import { axe, shot } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeKnown } from "../mock/snapshots.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

const address = ({ url, state }: Mock) => `${url}/agents/${agentNamed(state, "mason").id}/files`;
const FILE = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("one\n") };

test.describe("files for a sandbox", () => {
  test("are sent into the chosen folder", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(address(mock));
    const panel = page.getByRole("region", { name: "Put files into the sandbox" });
    await panel.getByLabel("Folder").fill("docs");
    await panel.getByLabel("Replace files that exist").check();
    expect(await axe(page)).toStrictEqual([]);
    await panel.locator("[data-picks=files]").setInputFiles(FILE);
    await panel.getByText("One file is in /workspace/docs.").waitFor();
    expect(mock.state.put?.query).toBe("folder=docs&replace=true");
    const archive = mock.state.put?.archive ?? Buffer.alloc(0);
    expect(archive.subarray(0, 9).toString()).toBe("notes.txt");
    expect(archive.subarray(512, 516).toString()).toBe("one\n");
  });

  test("are compared with what was there before, when the next snapshot has come", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const history = mock.state.snapshots.get(agent.id) ?? [];
    await page.goto(address(mock));
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    const panel = page.getByRole("region", { name: "Put files into the sandbox" });
    await panel.locator("[data-picks=files]").setInputFiles(FILE);
    await panel.getByText("The next snapshot will show what is new or changed.").waitFor();
    const show = panel.getByRole("button", { name: "Show new and changed files" });
    expect(await show.count()).toBe(0);
    // The machine saves the files, and the gateway tells of the sandbox.
    const { snapshot, files } = history[0];
    const next = makeKnown(
      { ...files, "notes.txt": FILE.buffer },
      { taken_at: new Date().toISOString(), node_id: snapshot.node_id, sandbox_id: snapshot.sandbox_id },
    );
    history.unshift(next);
    agent.version += 1;
    mock.hub.changed("claw", agent.id, agent.version);
    mock.hub.changed("sandbox", snapshot.sandbox_id, 2);
    await show.waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "put-compare");
    await show.click();
    await page.getByText("1 added, 0 changed, 0 removed").waitFor();
    const search = new URL(page.url()).searchParams;
    expect(search.get("before")).toBe(snapshot.id);
    expect(search.get("snapshot")).toBe(next.snapshot.id);
    await page.getByRole("button", { name: /notes\.txt/ }).click();
    await page.getByRole("region", { name: "What differs in notes.txt" }).getByText("one").waitFor();
  });

  test("a sandbox that refuses says why", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(address(mock));
    const panel = page.getByRole("region", { name: "Put files into the sandbox" });
    await panel.getByLabel("Folder").waitFor();
    const detail = "The sandbox did not unpack everything: tar: notes.txt: Cannot open: File exists.";
    const path = `/api/claws/${agentNamed(mock.state, "mason").id}/sandbox/files`;
    mock.state.failNext.set(`POST ${path}`, new Refusal(409, "conflict", "This conflicts", { detail }));
    await panel.locator("[data-picks=files]").setInputFiles(FILE);
    await panel.getByText("Cannot open: File exists").waitFor();
    expect(mock.state.put).toBe(undefined);
  });

  test("a viewer cannot send any", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    await page.goto(address(mock));
    await page.getByRole("tree", { name: "Files" }).waitFor();
    expect(await page.getByRole("region", { name: "Put files into the sandbox" }).count()).toBe(0);
  });
});
