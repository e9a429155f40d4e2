// The journey's part that follows the guide "Your first result" on the page: the demonstration, a model of one's own, files
// and a goal, and what changed.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { choose, shot } from "./kit.ts";

const MODEL = "tiny";
const SAID = "A list of birds that live here.";
const COMMAND = `printf '%s\\n' '${SAID}' >README.md && git add README.md && git commit -qm 'Say what these files are'`;

/** A server of the kind that people run themselves. Its model writes a file, commits it, and says so. */
async function modelServer() {
  const asked = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const body = JSON.parse(text);
      asked.push(body);
      const works = (body.tools ?? []).some((tool) => tool.function.name === "shell");
      const isDone = body.messages.some((message) => message.role === "tool");
      const call = { name: "shell", arguments: JSON.stringify({ command: COMMAND }) };
      const delta =
        works && !isDone
          ? { content: "I write it.", tool_calls: [{ index: 0, id: "c1", type: "function", function: call }] }
          : { content: "README.md says what the files are." };
      const usage = { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 };
      const pieces = [
        { choices: [{ index: 0, delta }] },
        {
          choices: [{ index: 0, delta: {}, finish_reason: works && !isDone ? "tool_calls" : "stop" }],
          usage,
        },
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of pieces) response.write(`data: ${JSON.stringify(piece)}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { asked, address: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}

/** While the workspace has no run. `open(path, heading)` goes somewhere, `clean(name)` checks what is there, `calm()` waits until it is drawn. */
export const demonstrationTests = ({ page, open, clean, calm }) => ({
  "the demonstration on Home mends its files": async () => {
    await open("/", "Home");
    await page.getByRole("button", { name: "Run the demonstration" }).click();
    await page.waitForURL(/\/runs\//u);
    await page.locator("[data-run-state]").getByText("Accepted").waitFor();
    await calm();
    await clean("demonstration");
    const changed = page.getByRole("region", { name: "Changes", exact: true });
    await changed
      .getByRole("region", { name: /^src\/\w+\.rs$/u })
      .first()
      .waitFor();
  },
});

/** When there is a team. */
export const firstResultTests = ({ page, open, clean, calm }) => ({
  "a model of one's own is added and tried, and works on a file that was uploaded": async () => {
    const server = await modelServer();
    try {
      await open("/settings/models", "Models");
      await page.getByRole("button", { name: "Add a model" }).click();
      await choose(page.getByLabel("Provider"), "ollama");
      await choose(page.getByLabel("Model", { exact: true }), { label: "Another model" });
      await page.getByLabel("Name of the model").fill(MODEL);
      await page.getByLabel("Address").fill(server.address);
      await page.keyboard.press("Enter");
      await page.getByText("“README.md says what the files are.”").waitFor();
      await clean("model");
      await workIsGiven({ page, open, clean, calm }, server);
    } finally {
      server.stop();
    }
  },
});

/** *Give work* with a folder of files, and the result on the page of its run. */
async function workIsGiven({ page, open, clean, calm }, server) {
  await open("/", "Home");
  await page.getByRole("button", { name: "Give work" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Goal").fill("Write a README.md that says what these files are.");
  // Its image has git. That of this journey's other team has nothing.
  await choose(dialog.getByLabel("Who works"), { label: "Demonstration" });
  await choose(dialog.getByLabel("Model"), { label: new RegExp(MODEL, "u") });
  const birds = { name: "birds.txt", mimeType: "text/plain", buffer: Buffer.from("robin\n") };
  await dialog.locator("[data-picks=files]").setInputFiles(birds);
  await dialog.getByText(/^Works on/u).waitFor();
  await clean("give-work");
  await dialog.getByRole("button", { name: "Run" }).click();
  await page.waitForURL(/\/runs\//u);
  await page
    .locator("[data-run-state]")
    .getByText(/^(Completed|Failed)$/u)
    .waitFor();
  await shot(page, "real-first-result");
  const changed = page.getByRole("region", { name: "Changes", exact: true });
  await changed.getByRole("region", { name: "README.md" }).getByText(SAID).waitFor();
  await calm();
  await clean("first-result");
  assert.ok(server.asked.length > 1, "the model was asked");
}
