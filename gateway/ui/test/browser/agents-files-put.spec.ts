// Files of a person's computer go into a sandbox, in a real Chromium.
import { axe } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
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
